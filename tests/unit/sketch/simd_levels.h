// The instructions that kernels can be tested with.
#pragma once

#include <vector>

#include "sketch/simd.h"

namespace kith::test {

// Those that this processor has, up to the best of the kernels.
inline std::vector<SimdLevel> supported_levels(SimdLevel best = best_simd_level()) {
  std::vector<SimdLevel> levels;
  for (const SimdLevel level : {SimdLevel::scalar, SimdLevel::avx2, SimdLevel::avx512}) {
    if (level <= best) levels.push_back(level);
  }
  return levels;
}

}  // namespace kith::test
