#include "sketch/kernels/minhash_kernel.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX512 __attribute__((target("avx512f")))

namespace kith::internal {
namespace {

static_assert(half_block == 16);  // a vector

KITH_AVX512 inline __m512i load(const uint32_t* values) {
  return _mm512_loadu_si512(values);
}
KITH_AVX512 inline __m512i broadcast(uint32_t value) {
  return _mm512_set1_epi32(static_cast<int>(value));
}
// With a full mask, which the compiler drops: the plain form of GCC 12 warns of an uninitialised
// variable in its own header.
KITH_AVX512 inline __m512i larger(__m512i x, __m512i y) {
  return _mm512_maskz_max_epu32(0xffff, x, y);
}

// So many whole blocks; their maxima stay in registers (4 blocks: 12 of the 32).
template <uint32_t blocks>
KITH_AVX512 inline void update_blocks(const uint32_t* multipliers,
                                      std::span<const uint64_t> elements, uint32_t* maxima) {
  __m512i a[blocks];
  __m512i product_max[blocks];
  __m512i sum_max[blocks];
#pragma GCC unroll 8
  for (uint32_t v = 0; v < blocks; ++v) {
    a[v] = load(multipliers + 2 * v * half_block);
    product_max[v] = load(maxima + 2 * v * half_block);
    sum_max[v] = load(maxima + (2 * v + 1) * half_block);
  }
  for (const uint64_t& element : elements) {
    const __m512i low = broadcast(low_half(element));
    const __m512i high = broadcast(high_half(element));
#pragma GCC unroll 8
    for (uint32_t v = 0; v < blocks; ++v) {
      const __m512i product = _mm512_mullo_epi32(low, a[v]);
      product_max[v] = larger(product_max[v], product);
      sum_max[v] = larger(sum_max[v], _mm512_add_epi32(product, high));
    }
  }
#pragma GCC unroll 8
  for (uint32_t v = 0; v < blocks; ++v) {
    _mm512_storeu_si512(maxima + 2 * v * half_block, product_max[v]);
    _mm512_storeu_si512(maxima + (2 * v + 1) * half_block, sum_max[v]);
  }
}

KITH_AVX512 inline void update_products(const uint32_t* multipliers,
                                        std::span<const uint64_t> elements, uint32_t* maxima) {
  const __m512i a = load(multipliers);
  __m512i product_max = load(maxima);
  for (const uint64_t& element : elements) {
    product_max = larger(product_max, _mm512_mullo_epi32(broadcast(low_half(element)), a));
  }
  _mm512_storeu_si512(maxima, product_max);
}

KITH_AVX512 void update(const uint32_t* multipliers, uint32_t lanes,
                        std::span<const uint64_t> elements, uint32_t* maxima) {
  constexpr uint32_t one = 2 * half_block;
  uint32_t lane = 0;
  for (; lane + 4 * one <= lanes; lane += 4 * one) {
    update_blocks<4>(multipliers + lane, elements, maxima + lane);
  }
  for (; lane + one <= lanes; lane += one) {
    update_blocks<1>(multipliers + lane, elements, maxima + lane);
  }
  if (lane < lanes) update_products(multipliers + lane, elements, maxima + lane);
}

}  // namespace

const MinHashKernel avx512_minhash = {update};

}  // namespace kith::internal

#endif
