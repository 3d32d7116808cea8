#include "sketch/hamming.h"

#include "base/check.h"
#include "sketch/kernels/hamming_kernel.h"

namespace kith {
namespace internal {
namespace {

// One by one, and so with the places of the near ones at once.
void pairs(const uint64_t* values, size_t n, uint32_t most, const NearPairTaker& taker) {
  for (size_t row = 0; row < n; ++row) take_near(values, row, row + 1, n, most, taker);
}

size_t scan(uint64_t value, const uint64_t* values, size_t n, uint32_t most, uint32_t* places) {
  size_t found = 0;
  for (size_t i = 0; i < n; ++i) {
    places[found] = static_cast<uint32_t>(i);
    found += hamming_distance(value, values[i]) <= most ? 1 : 0;
  }
  return found;
}

}  // namespace

const HammingKernels scalar_hamming = {pairs, scan};

}  // namespace internal

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
#if KITH_X86_KERNELS
  if (level == SimdLevel::avx512) return internal::avx512_hamming;
  if (level == SimdLevel::avx2) return internal::avx2_hamming;
#endif
  return internal::scalar_hamming;
}

}  // namespace kith
