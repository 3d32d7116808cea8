#include "sketch/kernels/kernels.h"

#include "base/check.h"

namespace kith::sketch {

const Kernels& kernels(SimdLevel level) {
  KITH_CHECK(level <= best_simd_level());
#if KITH_X86_KERNELS
  if (level == SimdLevel::avx512) return avx512_kernels;
  if (level == SimdLevel::avx2) return avx2_kernels;
#endif
  return scalar_kernels;
}

}  // namespace kith::sketch
