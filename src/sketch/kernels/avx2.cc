// The kernels for AVX2.
#include "sketch/simd.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_TARGET __attribute__((target("avx2,popcnt")))
#define KITH_VECTOR_BYTES 32

#include "sketch/kernels/kernels.h"
#include "sketch/kernels/vectors.h"

namespace kith::sketch {
namespace {

KITH_TARGET inline uint64_t equal_lanes(U8s a, U8s b) {
  return static_cast<uint32_t>(_mm256_movemask_epi8((__m256i)(a == b)));
}

// Of the four quarters. Masks, as of AVX-512, would take 10 % longer for the usual row (Zen 5).
using Counts = U64s;

template <size_t vectors>
KITH_TARGET inline Counts equal_counts(const U8s (&a)[vectors], const uint8_t* b) {
  U8s sums{};
#pragma GCC unroll 4
  for (size_t v = 0; v < vectors; ++v) sums -= (U8s)(a[v] == load<U8s>(b + v * vector_bytes));
  return (U64s)_mm256_sad_epu8((__m256i)sums, _mm256_setzero_si256());
}

KITH_TARGET inline uint32_t total(Counts counts) {
  const auto all = (__m256i)counts;
  __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  sum = _mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum));
  return static_cast<uint32_t>(_mm_cvtsi128_si32(sum));
}

KITH_TARGET inline uint32_t count_first(const uint8_t* a, const uint8_t* b, size_t count) {
  return count_bytes(a, b, count);
}

KITH_TARGET inline U64s load_first(const uint64_t* values, size_t count) {
  const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
  const __m256i held = _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<int64_t>(count)), lane);
  return (U64s)_mm256_maskload_epi64(reinterpret_cast<const long long*>(values), held);
}

// Bits counted by nibble in a table of 16 (Mula, Kurz, Lemire, Faster population counts using AVX2
// instructions, 2018), then added up over each lane.
KITH_TARGET inline U64s popcounts(U64s bits) {
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i low = _mm256_shuffle_epi8(counts, (__m256i)bits & nibble);
  const __m256i high = _mm256_shuffle_epi8(counts, (__m256i)(bits >> 4) & nibble);
  return (U64s)_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

KITH_TARGET inline unsigned near_lanes(U64s distances, uint32_t most) {
  const __m256i far = _mm256_cmpgt_epi64((__m256i)distances, _mm256_set1_epi64x(most));
  return static_cast<unsigned>(~_mm256_movemask_pd((__m256d)far)) & 0xf;
}

// Of the elements of two vectors: see element_of() in sketch_vectors.h.
KITH_TARGET inline U32s low_halves(U64s a, U64s b) {
  return (U32s)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
}
KITH_TARGET inline U32s high_halves(U64s a, U64s b) {
  return (U32s)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
}

// Of the low half of each element and of every second number.
KITH_TARGET inline U64s even_products(U64s elements, U32s numbers) {
  return (U64s)_mm256_mul_epu32((__m256i)elements, (__m256i)numbers);
}

// A bit for each lane in which x <= y.
KITH_TARGET inline unsigned not_above(U32s x, U32s y) {
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)(smaller(x, y) == x)));
}

}  // namespace
}  // namespace kith::sketch

#include "sketch/kernels/compare_vectors.h"
#include "sketch/kernels/hamming_vectors.h"
#include "sketch/kernels/sketch_vectors.h"

namespace kith::sketch {

const Kernels avx2_kernels = {{fill, update_minima, fold_minima}, update_maxima,
                              {fill_few, tell_winners},           {count_row, {select, equal_bits}},
                              {near_pairs, near_places},          simhash_sums};

}  // namespace kith::sketch

#endif
