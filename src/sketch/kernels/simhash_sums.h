// The inner loop of SimHash: what all SIMD levels share. Internal to src/sketch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/hash.h"
#include "sketch/simhash.h"

namespace kith::sketch {

// Premixing: feature hashes may be small integers. The constant keeps 0, the fixed point of
// mix64, from standing for itself.
constexpr uint64_t mix_feature(uint64_t hash) {
  return mix64(hash + golden);
}

// Adds to sums[j] the weights of the n features whose mixed hash has bit j. REQUIRES: no sum
// exceeds 2^32 - 1.
using SimhashSums = void (*)(const WeightedFeature* features, size_t n, uint32_t* sums);

}  // namespace kith::sketch
