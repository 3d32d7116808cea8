// MOD_m sketches with m = 2^i: the elements that m divides (Broder 1997, theorem 1;
// docs/algorithms/near-duplicates.md). For resemblance and containment. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "sketch/estimate.h"
#include "sketch/set_overlap.h"

namespace kith::sketch {

// V_i of a set: its elements whose low i bits are zero, a sample of one in 2^i.
struct ModSketch {
  static constexpr uint32_t max_values = 100;
  static constexpr uint32_t max_level = 63;

  uint32_t level = 0;            // i, at most max_level
  std::vector<uint64_t> values;  // ascending, each once
};

// V_i for the smallest i at which at most `max_values` are left: usually 50 to 100 of them, and
// the whole set (i = 0) where it has no more.
ModSketch mod_sketch(HashSet elements);

struct ModEstimate {
  Estimate resemblance;
  Estimate containment_of_a;  // |A n B| / |A|
  Estimate containment_of_b;
};
// Sketches of different levels are compared at the higher one. The shares of the samples, with
// bounds; exact where both sketches are whole sets. An empty sample says nothing: 0, in [0, 1].
// REQUIRES: confidence in (0, 1).
ModEstimate estimate_overlap(const ModSketch& a, const ModSketch& b, double confidence);

}  // namespace kith::sketch
