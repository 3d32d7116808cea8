// The instructions that kernels can be tested with.
#pragma once

#include <vector>

#include "sketch/simd.h"

namespace kith::test {

// Those that this processor has, up to the best of the kernels.
inline std::vector<sketch::SimdLevel> supported_levels(
    sketch::SimdLevel best = sketch::best_simd_level()) {
  std::vector<sketch::SimdLevel> levels;
  for (const sketch::SimdLevel level :
       {sketch::SimdLevel::scalar, sketch::SimdLevel::avx2, sketch::SimdLevel::avx512}) {
    if (level <= best) levels.push_back(level);
  }
  return levels;
}

}  // namespace kith::test
