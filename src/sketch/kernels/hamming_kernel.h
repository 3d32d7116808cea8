// Comparison of fingerprints one by one, as all SIMD levels do it where there is a hit. Internal to
// src/sketch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sketch/hamming.h"
#include "sketch/simhash.h"

namespace kith::sketch {

// The near ones among (row, column) for columns in [begin, end).
inline void take_near(const uint64_t* values, size_t row, size_t begin, size_t end, uint32_t most,
                      const NearPairTaker& taker) {
  for (size_t column = begin; column < end; ++column) {
    if (hamming_distance(values[row], values[column]) > most) continue;
    taker.take(taker.context, static_cast<uint32_t>(row), static_cast<uint32_t>(column));
  }
}

// As HammingKernels::scan, of the values in [begin, end); `found` places are there already.
inline size_t add_near(uint64_t value, const uint64_t* values, size_t begin, size_t end,
                       uint32_t most, uint32_t* places, size_t found) {
  for (size_t i = begin; i < end; ++i) {
    places[found] = static_cast<uint32_t>(i);
    found += hamming_distance(value, values[i]) <= most ? 1 : 0;
  }
  return found;
}

}  // namespace kith::sketch
