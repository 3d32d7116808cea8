#include "sketch/kernels/minhash_kernel.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX2 __attribute__((target("avx2")))

namespace kith::internal {
namespace {

constexpr uint32_t width = 8;                          // lanes of a vector
constexpr uint32_t half_vectors = half_block / width;  // vectors of half a block

KITH_AVX2 inline __m256i load(const uint32_t* values) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
}
KITH_AVX2 inline void store(uint32_t* out, __m256i values) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), values);
}
KITH_AVX2 inline __m256i broadcast(uint32_t value) {
  return _mm256_set1_epi32(static_cast<int>(value));
}

// Vector v of the products of whole blocks: its lanes are lane_of(v) and, for the sums, half_block
// on from there.
constexpr uint32_t lane_of(uint32_t v) {
  return v / half_vectors * 2 * half_block + v % half_vectors * width;
}

// So many whole blocks; their maxima stay in registers.
template <uint32_t blocks>
KITH_AVX2 inline void update_blocks(const uint32_t* multipliers, std::span<const uint64_t> elements,
                                    uint32_t* maxima) {
  constexpr uint32_t vectors = blocks * half_vectors;
  __m256i a[vectors];
  __m256i product_max[vectors];
  __m256i sum_max[vectors];
#pragma GCC unroll 8
  for (uint32_t v = 0; v < vectors; ++v) {
    a[v] = load(multipliers + lane_of(v));
    product_max[v] = load(maxima + lane_of(v));
    sum_max[v] = load(maxima + lane_of(v) + half_block);
  }
  for (const uint64_t& element : elements) {
    const __m256i low = broadcast(low_half(element));
    const __m256i high = broadcast(high_half(element));
#pragma GCC unroll 8
    for (uint32_t v = 0; v < vectors; ++v) {
      const __m256i product = _mm256_mullo_epi32(low, a[v]);
      product_max[v] = _mm256_max_epu32(product_max[v], product);
      sum_max[v] = _mm256_max_epu32(sum_max[v], _mm256_add_epi32(product, high));
    }
  }
#pragma GCC unroll 8
  for (uint32_t v = 0; v < vectors; ++v) {
    store(maxima + lane_of(v), product_max[v]);
    store(maxima + lane_of(v) + half_block, sum_max[v]);
  }
}

KITH_AVX2 inline void update_products(const uint32_t* multipliers,
                                      std::span<const uint64_t> elements, uint32_t* maxima) {
  const __m256i a0 = load(multipliers);
  const __m256i a1 = load(multipliers + width);
  __m256i max0 = load(maxima);
  __m256i max1 = load(maxima + width);
  for (const uint64_t& element : elements) {
    const __m256i low = broadcast(low_half(element));
    max0 = _mm256_max_epu32(max0, _mm256_mullo_epi32(low, a0));
    max1 = _mm256_max_epu32(max1, _mm256_mullo_epi32(low, a1));
  }
  store(maxima, max0);
  store(maxima + width, max1);
}

KITH_AVX2 void update(const uint32_t* multipliers, uint32_t lanes,
                      std::span<const uint64_t> elements, uint32_t* maxima) {
  constexpr uint32_t one = 2 * half_block;
  uint32_t lane = 0;
  for (; lane + 2 * one <= lanes; lane += 2 * one) {
    update_blocks<2>(multipliers + lane, elements, maxima + lane);
  }
  for (; lane + one <= lanes; lane += one) {
    update_blocks<1>(multipliers + lane, elements, maxima + lane);
  }
  if (lane < lanes) update_products(multipliers + lane, elements, maxima + lane);
}

}  // namespace

const MinHashKernel avx2_minhash = {update};

}  // namespace kith::internal

#endif
