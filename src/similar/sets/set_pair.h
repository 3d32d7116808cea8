// Pairs of sets, and where the joins of sets leave them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kith/status.h"

#include "base/parallel/radix_sort.h"

namespace kith::similar {

// A pair, a < b.
struct SetPair {
  uint32_t a;
  uint32_t b;
  uint32_t common;  // elements in both
  friend auto operator<=>(const SetPair&, const SetPair&) = default;
};

// Receive what was found, from one thread at a time and, but for whole parts, outside the pool's
// jobs; an error ends the join.
struct SetJoinSinks {
  // Every candidate once, verified or not: key < id. In no order that can be relied on. May be
  // null.
  std::function<void(std::span<const ShortKeyId> candidates)> candidates;
  // Every candidate of the similarity once, or every one without verification; ascending within a
  // call.
  std::function<Status(std::span<const SetPair> sorted)> pairs;
  // The sets that meet in one bucket which is too large to compare all its pairs; `name` tells it
  // from the other buckets of the join. Two sets of it are a candidate if the method says so, but
  // they are given to neither of the others, unless they meet in a smaller bucket too. Null: every
  // pair is compared, however many there are.
  std::function<Status(uint64_t name, std::span<const uint32_t> ids)> whole_part;
};

}  // namespace kith::similar
