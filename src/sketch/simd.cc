#include "sketch/simd.h"

#include "base/check.h"
#include "sketch/kernels/kernels.h"

namespace kith::sketch {

SimdLevel best_simd_level() {
#if KITH_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
    return SimdLevel::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return SimdLevel::avx2;
#endif
  return SimdLevel::scalar;
}

const Kernels& kernels(SimdLevel level) {
  KITH_CHECK(level <= best_simd_level());
#if KITH_X86_KERNELS
  if (level == SimdLevel::avx512) return avx512_kernels;
  if (level == SimdLevel::avx2) return avx2_kernels;
#endif
  return scalar_kernels;
}

}  // namespace kith::sketch
