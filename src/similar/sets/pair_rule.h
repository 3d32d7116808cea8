// Pairs of sets, and where the joins of sets leave them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/radix_sort.h"
#include "similar/sets/hash_sets.h"
#include "similar/tables/candidate_search.h"
#include "sketch/estimate.h"

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

// How a join of sets shares out its memory. Internal to this folder.

// The rows of signatures for which there is room at a time.
inline size_t rows_within(const Budget& memory, uint32_t lanes) {
  return memory.bytes(Share::set_rows) / CandidateSearch::bytes_per_row(lanes);
}

// The least memory with room for so many rows.
inline uint64_t memory_for_rows(uint64_t rows, uint32_t lanes) {
  return least_with(Share::set_rows, rows * CandidateSearch::bytes_per_row(lanes));
}

// Which pairs of sets are pairs of a join.

// What the similarity of two sets is.
enum class SetMeasure : uint8_t {
  resemblance,
  containment,  // of the smaller set in the larger one: the greater of both
};

struct PairRule {
  double similarity = 0.8;  // the minimum of the measure, (0, 1]
  // False: every candidate is a pair, whatever its similarity.
  bool verify = true;
  SetMeasure measure = SetMeasure::resemblance;
  // Sets whose subjects differ are no pair. Null: all may be pairs. Must outlive the rule.
  const Subjects* subjects = nullptr;

  bool is_similar(const sketch::SetOverlap& both) const {
    return (measure == SetMeasure::resemblance ? both.resemblance()
            : both.a <= both.b                 ? both.containment_of_a()
                                               : both.containment_of_b()) >= similarity;
  }
  bool same_subject(uint32_t a, uint32_t b) const {
    return subjects == nullptr || !subjects->differ(a, b);
  }
  // Whether a candidate, two sets of one collection, is a pair.
  bool is_pair(uint32_t a, uint32_t b, const sketch::SetOverlap& both) const {
    return (!verify || is_similar(both)) && same_subject(a, b);
  }
};

}  // namespace kith::similar
