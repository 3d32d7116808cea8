// Pairs of sets, and where the joins of sets leave them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kith/status.h"

#include "parallel/radix_sort.h"

namespace kith::pairs {

// A pair, a < b.
struct SetPair {
  uint32_t a;
  uint32_t b;
  uint32_t common;  // elements in both
  friend auto operator<=>(const SetPair&, const SetPair&) = default;
};

// Receive what was found, from one thread at a time and outside the pool's jobs; an error ends the
// join.
struct SetJoinSinks {
  // Every candidate once, verified or not: key < id. In no order that can be relied on. May be
  // null.
  std::function<void(std::span<const ShortKeyId> candidates)> candidates;
  // Every candidate of the similarity once, or every one without verification; ascending within a
  // call.
  std::function<Status(std::span<const SetPair> sorted)> pairs;
};

}  // namespace kith::pairs
