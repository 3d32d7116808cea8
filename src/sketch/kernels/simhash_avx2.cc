#include "sketch/kernels/simhash_sums.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX2 __attribute__((target("avx2")))

namespace kith::internal {

KITH_AVX2 void simhash_sums_avx2(const WeightedFeature* features, size_t n, uint32_t* sums) {
  constexpr int vectors = 8;
  constexpr int width = 8;  // sums of a vector
  __m256i sum[vectors];
  __m256i bit[vectors / 2];  // bit b of a half hash in lane b % 8 of vector b / 8
#pragma GCC unroll 4
  for (int v = 0; v < vectors / 2; ++v) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i place = _mm256_add_epi32(lane, _mm256_set1_epi32(v * width));
    bit[v] = _mm256_sllv_epi32(_mm256_set1_epi32(1), place);
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    sum[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums + v * width));
  }
  for (size_t i = 0; i < n; ++i) {
    const uint64_t mixed = mix_feature(features[i].hash);
    const __m256i weight = _mm256_set1_epi32(static_cast<int>(features[i].weight));
    const __m256i halves[2] = {_mm256_set1_epi32(static_cast<int>(mixed)),
                               _mm256_set1_epi32(static_cast<int>(mixed >> 32))};
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const __m256i mine = bit[v % (vectors / 2)];
      const __m256i in = _mm256_and_si256(halves[v / (vectors / 2)], mine);
      const __m256i set = _mm256_cmpeq_epi32(in, mine);
      sum[v] = _mm256_add_epi32(sum[v], _mm256_and_si256(set, weight));
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + v * width), sum[v]);
  }
}

}  // namespace kith::internal

#endif
