#include "sketch/kernels/simhash_sums.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX512 __attribute__((target("avx512f")))

namespace kith::internal {

// The bits of a mixed hash are the masks of four masked additions.
KITH_AVX512 void simhash_sums_avx512(const WeightedFeature* features, size_t n, uint32_t* sums) {
  constexpr int vectors = 4;
  constexpr int width = 16;  // sums of a vector
  __m512i sum[vectors];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) sum[v] = _mm512_loadu_si512(sums + v * width);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t mixed = mix_feature(features[i].hash);
    const __m512i weight = _mm512_set1_epi32(static_cast<int>(features[i].weight));
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const auto set = static_cast<__mmask16>(mixed >> (v * width));
      sum[v] = _mm512_mask_add_epi32(sum[v], set, sum[v], weight);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) _mm512_storeu_si512(sums + v * width, sum[v]);
}

}  // namespace kith::internal

#endif
