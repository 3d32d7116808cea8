// SimhashSums over vectors: see vectors.h.
#pragma once

#include <array>

#include "sketch/kernels/scalar_kernels.h"
#include "sketch/kernels/vectors.h"

namespace kith::sketch {
namespace {

// The bits of a half of a mixed hash, in the order of the sums.
inline constexpr auto bits_of_half = [] {
  std::array<uint32_t, fingerprint_bits / 2> bits{};
  for (uint32_t i = 0; i < bits.size(); ++i) bits[i] = uint32_t{1} << i;
  return bits;
}();

KITH_TARGET inline void simhash_sums(const WeightedFeature* features, size_t n, uint32_t* sums) {
  constexpr int vectors = fingerprint_bits / width;
  U32s bit[vectors / 2];
  U32s sum[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    bit[v % (vectors / 2)] = load<U32s>(&bits_of_half[v % (vectors / 2) * width]);
    sum[v] = load<U32s>(sums + v * width);
  }
  for (size_t i = 0; i < n; ++i) {
    const uint64_t mixed = mix_feature(features[i].hash);
    const uint32_t halves[2] = {static_cast<uint32_t>(mixed), static_cast<uint32_t>(mixed >> 32)};
    const U32s weight = U32s{} + features[i].weight;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const U32s mine = bit[v % (vectors / 2)];
      sum[v] = add_where((halves[v / (vectors / 2)] & mine) == mine, sum[v], weight);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) store(sums + v * width, sum[v]);
}

}  // namespace
}  // namespace kith::sketch
