// Which pairs of sets are pairs of a join.
#pragma once

#include <cstdint>
#include <span>

#include "sketch/set_overlap.h"

namespace kith::pairs {

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
  // By set what it is about, 0: unknown. Sets about different things are no pair, however similar
  // they are. Empty: all may be pairs.
  std::span<const uint64_t> subjects = {};

  bool is_similar(const SetOverlap& both) const {
    return (measure == SetMeasure::resemblance ? both.resemblance()
            : both.a <= both.b                 ? both.containment_of_a()
                                               : both.containment_of_b()) >= similarity;
  }
  bool same_subject(uint32_t a, uint32_t b) const {
    return subjects.empty() || subjects[a] == 0 || subjects[b] == 0 || subjects[a] == subjects[b];
  }
  // Whether a candidate, two sets of one collection, is a pair.
  bool is_pair(uint32_t a, uint32_t b, const SetOverlap& both) const {
    return (!verify || is_similar(both)) && same_subject(a, b);
  }
};

}  // namespace kith::pairs
