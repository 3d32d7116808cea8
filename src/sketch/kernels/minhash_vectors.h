// MinHashUpdate over vectors: see vectors.h.
#pragma once

#include "sketch/kernels/scalar_kernels.h"
#include "sketch/kernels/vectors.h"

namespace kith::sketch {
namespace {

inline constexpr uint32_t half_vectors = half_block / width;

// Vector v of the products of blocks: its lanes are lane_of(v) and, for the sums, half_block on
// from there.
constexpr uint32_t lane_of(uint32_t v) {
  return v / half_vectors * 2 * half_block + v % half_vectors * width;
}

// So many blocks, whole ones or first halves; their maxima stay in registers.
template <uint32_t blocks, bool has_sums>
KITH_TARGET inline void update_blocks(const uint32_t* multipliers,
                                      std::span<const uint64_t> elements, uint32_t* maxima) {
  constexpr uint32_t vectors = blocks * half_vectors;
  U32s a[vectors];
  U32s product_max[vectors];
  U32s sum_max[vectors];
#pragma GCC unroll 8
  for (uint32_t v = 0; v < vectors; ++v) {
    a[v] = load<U32s>(multipliers + lane_of(v));
    product_max[v] = load<U32s>(maxima + lane_of(v));
    if constexpr (has_sums) sum_max[v] = load<U32s>(maxima + lane_of(v) + half_block);
  }
  for (const uint64_t& element : elements) {
#pragma GCC unroll 8
    for (uint32_t v = 0; v < vectors; ++v) {
      const U32s product = low_half(element) * a[v];
      product_max[v] = larger(product_max[v], product);
      if constexpr (has_sums) sum_max[v] = larger(sum_max[v], product + high_half(element));
    }
  }
#pragma GCC unroll 8
  for (uint32_t v = 0; v < vectors; ++v) {
    store(maxima + lane_of(v), product_max[v]);
    if constexpr (has_sums) store(maxima + lane_of(v) + half_block, sum_max[v]);
  }
}

KITH_TARGET inline void update_maxima(const uint32_t* multipliers, uint32_t lanes,
                                      std::span<const uint64_t> elements, uint32_t* maxima) {
  constexpr uint32_t one = 2 * half_block;
  constexpr uint32_t most = 4 / half_vectors;  // blocks that registers hold
  uint32_t lane = 0;
  for (; lane + most * one <= lanes; lane += most * one) {
    update_blocks<most, true>(multipliers + lane, elements, maxima + lane);
  }
  for (; lane + one <= lanes; lane += one) {
    update_blocks<1, true>(multipliers + lane, elements, maxima + lane);
  }
  if (lane < lanes) update_blocks<1, false>(multipliers + lane, elements, maxima + lane);
}

}  // namespace
}  // namespace kith::sketch
