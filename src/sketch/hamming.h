// Which of many 64-bit fingerprints lie within a Hamming distance, by vectors. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sketch/simd.h"

namespace kith::sketch {

// Is told of near pairs by their places.
struct NearPairTaker {
  void* context;
  void (*take)(void* context, uint32_t i, uint32_t j);
};

// The same at every level.
struct HammingKernels {
  // Calls the taker once for all places i < j < n with hamming_distance(values[i], values[j]) <=
  // most, in no order that can be relied on. REQUIRES: n < 2^32.
  void (*pairs)(const uint64_t* values, size_t n, uint32_t most, const NearPairTaker& taker);
  // Writes the places, ascending, of those of n values that are within `most` of `value`; returns
  // how many. `places` has room for n. REQUIRES: n < 2^32.
  size_t (*scan)(uint64_t value, const uint64_t* values, size_t n, uint32_t most, uint32_t* places);
};

// The best level of this processor: avx512 stands for AVX512F and AVX512VPOPCNTDQ here.
SimdLevel best_hamming_level();
// REQUIRES: level <= best_hamming_level(). Thread-safe.
const HammingKernels& hamming_kernels(SimdLevel level = best_hamming_level());

}  // namespace kith::sketch
