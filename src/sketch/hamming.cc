#include "sketch/hamming.h"

#include "base/check.h"
#include "sketch/kernels/kernels.h"

namespace kith::sketch {

SimdLevel best_hamming_level() {
#if KITH_X86_KERNELS
  __builtin_cpu_init();
  if (best_simd_level() == SimdLevel::avx512 && __builtin_cpu_supports("avx512vpopcntdq")) {
    return SimdLevel::avx512;
  }
  if (best_simd_level() >= SimdLevel::avx2) return SimdLevel::avx2;
#endif
  return SimdLevel::scalar;
}

const HammingKernels& hamming_kernels(SimdLevel level) {
  KITH_CHECK(level <= best_hamming_level());
  return kernels(level).hamming;
}

}  // namespace kith::sketch
