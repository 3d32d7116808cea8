// Which pairs of sets are pairs of a join.
#pragma once

#include <cstdint>

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

  bool is_similar(const SetOverlap& both) const {
    return (measure == SetMeasure::resemblance ? both.resemblance()
            : both.a <= both.b                 ? both.containment_of_a()
                                               : both.containment_of_b()) >= similarity;
  }
};

}  // namespace kith::pairs
