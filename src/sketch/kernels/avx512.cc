// The kernels for AVX-512.
#include "sketch/simd.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_TARGET __attribute__((target("avx512f,avx512bw,popcnt")))
#define KITH_VECTOR_BYTES 64

#include "sketch/kernels/kernels.h"
#include "sketch/kernels/vectors.h"

namespace kith::sketch {
namespace {

KITH_TARGET inline uint64_t equal_lanes(U8s a, U8s b) {
  return _mm512_cmpeq_epi8_mask((__m512i)a, (__m512i)b);
}

using Counts = uint32_t;

template <size_t vectors>
KITH_TARGET inline Counts equal_counts(const U8s (&a)[vectors], const uint8_t* b) {
  uint64_t count = 0;
#pragma GCC unroll 4
  for (size_t v = 0; v < vectors; ++v) {
    count += _mm_popcnt_u64(equal_lanes(a[v], load<U8s>(b + v * vector_bytes)));
  }
  return static_cast<Counts>(count);
}

KITH_TARGET inline uint32_t total(Counts counts) {
  return counts;
}

KITH_TARGET inline uint32_t count_first(const uint8_t* a, const uint8_t* b, size_t count) {
  const __mmask64 held = ~uint64_t{0} >> (vector_bytes - count);
  const __mmask64 equal = _mm512_mask_cmpeq_epi8_mask(held, _mm512_maskz_loadu_epi8(held, a),
                                                      _mm512_maskz_loadu_epi8(held, b));
  return static_cast<uint32_t>(_mm_popcnt_u64(equal));
}

// Of the elements of two vectors: see element_of() in sketch_vectors.h. With a mask of all lanes:
// GCC 12 warns of an undefined value in the header where there is none.
KITH_TARGET inline U32s low_halves(U64s a, U64s b) {
  return (U32s)_mm512_maskz_shuffle_ps(0xffff, (__m512)a, (__m512)b, 0x88);
}
KITH_TARGET inline U32s high_halves(U64s a, U64s b) {
  return (U32s)_mm512_maskz_shuffle_ps(0xffff, (__m512)a, (__m512)b, 0xdd);
}

// Of the low half of each element and of every second number.
KITH_TARGET inline U64s even_products(U64s elements, U32s numbers) {
  return (U64s)_mm512_maskz_mul_epu32(0xff, (__m512i)elements, (__m512i)numbers);
}

// A bit for each lane in which x <= y.
KITH_TARGET inline unsigned not_above(U32s x, U32s y) {
  return _mm512_cmple_epu32_mask((__m512i)x, (__m512i)y);
}

}  // namespace
}  // namespace kith::sketch

#include "sketch/kernels/compare_vectors.h"
#include "sketch/kernels/sketch_vectors.h"

// Fingerprints take what SimdLevel::avx512 does not stand for elsewhere: see best_hamming_level().
#undef KITH_TARGET
#define KITH_TARGET __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,popcnt")))

namespace kith::sketch {
namespace {

KITH_TARGET inline U64s load_first(const uint64_t* values, size_t count) {
  const auto held = static_cast<__mmask8>(count >= 8 ? 0xff : (1u << count) - 1);
  return (U64s)_mm512_maskz_loadu_epi64(held, values);
}

KITH_TARGET inline U64s popcounts(U64s bits) {
  return (U64s)_mm512_popcnt_epi64((__m512i)bits);
}

KITH_TARGET inline unsigned near_lanes(U64s distances, uint32_t most) {
  return _mm512_cmple_epu64_mask((__m512i)distances, _mm512_set1_epi64(most));
}

}  // namespace
}  // namespace kith::sketch

#include "sketch/kernels/hamming_vectors.h"

namespace kith::sketch {

const Kernels avx512_kernels = {
    {fill, update_minima, fold_minima}, update_maxima,
    {fill_few, tell_winners},           {count_row, {select, equal_bits}},
    {near_pairs, near_places},          simhash_sums};

}  // namespace kith::sketch

#endif
