#include "sketch/simd.h"

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

}  // namespace kith::sketch
