// Which pairs of sets are pairs of a join.
#pragma once

#include <cstdint>

#include "similar/sets/subjects.h"
#include "sketch/set_overlap.h"

namespace kith::similar {

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
