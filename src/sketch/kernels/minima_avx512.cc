#include "sketch/kernels/flatten.h"
#include "sketch/kernels/minima.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX512 __attribute__((target("avx512f")))

namespace kith::internal {
namespace {

constexpr uint32_t width = 16;  // lanes of a vector
constexpr __mmask16 all = 0xffff;

// Masked forms with a full mask, which the compiler drops: the plain forms of GCC 12 warn of
// an uninitialised variable in its own header.
KITH_AVX512 inline __m512i shift_right(__m512i values, unsigned bits) {
  return _mm512_maskz_srli_epi32(all, values, bits);
}
KITH_AVX512 inline __m512i smaller(__m512i x, __m512i y) {
  return _mm512_maskz_min_epu32(all, x, y);
}
KITH_AVX512 inline __m256i low_halves(__m512i values) {
  return _mm512_maskz_cvtepi32_epi16(all, values);
}

// Vectors * width lanes from `first` on; their minima stay in registers over both loops (8
// vectors: 24 of the 32 registers).
template <int vectors>
KITH_AVX512 inline void update_lanes(const LaneHashes& hashes, const Block& block, uint32_t first,
                                     uint32_t* minima) {
  __m512i a[vectors];
  __m512i b[vectors];
  __m512i least[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    a[v] = _mm512_loadu_si512(hashes.multiplier + first + v * width);
    b[v] = _mm512_loadu_si512(hashes.addend + first + v * width);
    least[v] = _mm512_loadu_si512(minima + first + v * width);
  }
  for (size_t i = 0; i < block.whole_count; ++i) {
    const __m512i x = _mm512_set1_epi32(static_cast<int>(block.whole[i]));
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const __m512i h = _mm512_add_epi32(_mm512_mullo_epi32(x, a[v]), b[v]);
      least[v] = smaller(least[v], h);
    }
  }
  const __m512i low_half = _mm512_set1_epi32(0xffff);
  for (size_t i = 0; i < block.partial_count; ++i) {
    const __m512i x = _mm512_set1_epi32(static_cast<int>(block.partial[i]));
    const __m512i limit = _mm512_set1_epi32(static_cast<int>(block.limits[i]));
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const __m512i h = _mm512_add_epi32(_mm512_mullo_epi32(x, a[v]), b[v]);
      const __mmask16 in = _mm512_cmplt_epu32_mask(_mm512_and_si512(h, low_half), limit);
      least[v] = _mm512_mask_min_epu32(least[v], in, least[v], h);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) _mm512_storeu_si512(minima + first + v * width, least[v]);
}

KITH_AVX512 void update(const LaneHashes& hashes, const Block& block, uint32_t* minima) {
  uint32_t lane = 0;
  for (; lane + 8 * width <= hashes.lanes; lane += 8 * width) {
    update_lanes<8>(hashes, block, lane, minima);
  }
  for (; lane + 4 * width <= hashes.lanes; lane += 4 * width) {
    update_lanes<4>(hashes, block, lane, minima);
  }
  for (; lane < hashes.lanes; lane += width) update_lanes<1>(hashes, block, lane, minima);
}

KITH_AVX512 void fold(const uint32_t* minima, uint32_t lanes, uint16_t* signature) {
  const __m512i multiplier_1 = _mm512_set1_epi32(static_cast<int>(mix32_multiplier_1));
  const __m512i multiplier_2 = _mm512_set1_epi32(static_cast<int>(mix32_multiplier_2));
  for (uint32_t lane = 0; lane < lanes; lane += width) {
    __m512i h = _mm512_loadu_si512(minima + lane);
    h = _mm512_xor_si512(h, shift_right(h, 16));
    h = _mm512_mullo_epi32(h, multiplier_1);
    h = _mm512_xor_si512(h, shift_right(h, 13));
    h = _mm512_mullo_epi32(h, multiplier_2);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(signature + lane),
                        low_halves(shift_right(h, 16)));
  }
}

}  // namespace

// A word seldom has more than the 8 copies that AVX2 expands at a time.
const MinimaKernel avx512_minima = {fill_avx2, update, fold};

}  // namespace kith::internal

#endif
