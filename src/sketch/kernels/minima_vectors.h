// MinimaKernels over vectors: see vectors.h.
#pragma once

#include "sketch/kernels/flatten.h"
#include "sketch/kernels/scalar_kernels.h"
#include "sketch/kernels/vectors.h"

namespace kith::sketch {
namespace {

// mix32 of every lane but for its last step, which leaves the high half as it is.
template <class Vector>
KITH_TARGET inline Vector mix_high(Vector x) {
  x ^= x >> 16;
  x *= mix32_multiplier_1;
  x ^= x >> 13;
  return x * mix32_multiplier_2;
}

// Eight copies at a time at every level: a word seldom has more.
struct Expand {
  using Copies [[gnu::vector_size(expand_step * sizeof(uint32_t))]] = uint32_t;

  KITH_TARGET static void run(Word word, uint32_t count, uint32_t* out) {
    Copies number = {0, 1, 2, 3, 4, 5, 6, 7};
    for (uint32_t i = 0; i < count; i += expand_step) {
      const Copies x = mix_high(word.start + number * word.stride);
      store(out + i, x ^ (x >> 16));
      number += expand_step;
    }
  }
};

KITH_TARGET inline size_t fill(const Flattening& flattening, Bag entries, Block& block) {
  return fill_block<Expand>(flattening, entries, block);
}

// So many vectors of lanes from `first` on; their minima stay in registers over both loops.
template <int vectors>
KITH_TARGET inline void update_minima_of(const LaneHashes& hashes, const Block& block,
                                         uint32_t first, uint32_t* minima) {
  U32s a[vectors];
  U32s b[vectors];
  U32s least[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    a[v] = load<U32s>(hashes.multiplier + first + v * width);
    b[v] = load<U32s>(hashes.addend + first + v * width);
    least[v] = load<U32s>(minima + first + v * width);
  }
  for (size_t i = 0; i < block.whole_count; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) least[v] = smaller(least[v], block.whole[i] * a[v] + b[v]);
  }
  for (size_t i = 0; i < block.partial_count; ++i) {
    const auto last = static_cast<int32_t>(block.limits[i]) - 1;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const U32s h = block.partial[i] * a[v] + b[v];
      // Signed: AVX2 has no other comparison, and both sides are below 2^16.
      least[v] = smaller_unless((I32s)(h & 0xffff) > last, least[v], h);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) store(minima + first + v * width, least[v]);
}

// As many lanes at a time as registers hold, of which AVX-512 has twice as many.
KITH_TARGET inline void update_minima(const LaneHashes& hashes, const Block& block,
                                      uint32_t* minima) {
  constexpr int most = vector_bytes == 64 ? 8 : 4;
  constexpr uint32_t step = 16;  // divides hashes.lanes
  uint32_t lane = 0;
  for (; lane + most * width <= hashes.lanes; lane += most * width) {
    update_minima_of<most>(hashes, block, lane, minima);
  }
  for (; lane + most / 2 * width <= hashes.lanes; lane += most / 2 * width) {
    update_minima_of<most / 2>(hashes, block, lane, minima);
  }
  for (; lane < hashes.lanes; lane += step) {
    update_minima_of<step / width>(hashes, block, lane, minima);
  }
}

KITH_TARGET inline void fold_minima(const uint32_t* minima, uint32_t lanes, uint16_t* signature) {
  using U16s [[gnu::vector_size(vector_bytes / 2)]] = uint16_t;
  for (uint32_t lane = 0; lane < lanes; lane += width) {
    const U32s high_halves = mix_high(load<U32s>(minima + lane)) >> 16;
    store(signature + lane, __builtin_convertvector(high_halves, U16s));
  }
}

}  // namespace
}  // namespace kith::sketch
