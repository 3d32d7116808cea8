// The loops around the comparison of fingerprints, which are the same at every SIMD level.
// Internal to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sketch/hamming.h"
#include "sketch/simhash.h"

namespace kith::internal {

extern const HammingKernels scalar_hamming;
#if KITH_X86_KERNELS
extern const HammingKernels avx2_hamming;
extern const HammingKernels avx512_hamming;
#endif

// The near ones among (row, column) for columns in [begin, end).
inline void take_near(const uint64_t* values, size_t row, size_t begin, size_t end, uint32_t most,
                      const NearPairTaker& taker) {
  for (size_t column = begin; column < end; ++column) {
    if (hamming_distance(values[row], values[column]) > most) continue;
    taker.take(taker.context, static_cast<uint32_t>(row), static_cast<uint32_t>(column));
  }
}

// All rows in [0, end) against the columns in [begin, end), which stay in registers.
// Level::Columns<vectors>(columns, count) holds up to vectors * Level::width columns;
// any_near(row, most) says whether one of them is near, or errs on the side of yes. Hits are
// rare, so they are looked for again one by one. Inlined, so that it takes on the instruction set
// of its caller.
template <class Level, int vectors>
[[gnu::always_inline]] inline void pairs_of_columns(const uint64_t* values, size_t begin,
                                                    size_t end, uint32_t most,
                                                    const NearPairTaker& taker) {
  const typename Level::template Columns<vectors> columns(values + begin, end - begin);
  for (size_t row = 0; row < begin; ++row) {
    if (columns.any_near(values[row], most)) [[unlikely]] {
      take_near(values, row, begin, end, most, taker);
    }
  }
  for (size_t row = begin; row < end; ++row) {
    if (columns.near_count(values[row], most) > 1) [[unlikely]] {
      take_near(values, row, row + 1, end, most, taker);
    }
  }
}

template <class Level>
[[gnu::always_inline]] inline void near_pairs(const uint64_t* values, size_t n, uint32_t most,
                                              const NearPairTaker& taker) {
  constexpr size_t width = Level::width;
  size_t begin = 0;
  for (; begin + 4 * width <= n; begin += 4 * width) {
    pairs_of_columns<Level, 4>(values, begin, begin + 4 * width, most, taker);
  }
  if (n - begin > 2 * width) {
    pairs_of_columns<Level, 4>(values, begin, n, most, taker);
  } else if (n > begin) {
    pairs_of_columns<Level, 2>(values, begin, n, most, taker);
  }
}

// As HammingKernels::scan, some columns at a time.
template <class Level>
[[gnu::always_inline]] inline size_t near_places(uint64_t value, const uint64_t* values, size_t n,
                                                 uint32_t most, uint32_t* places) {
  constexpr size_t step = 4 * Level::width;
  size_t found = 0;
  for (size_t begin = 0; begin < n; begin += step) {
    const size_t end = std::min(n, begin + step);
    const typename Level::template Columns<4> columns(values + begin, end - begin);
    if (!columns.any_near(value, most)) [[likely]]
      continue;
    for (size_t i = begin; i < end; ++i) {
      places[found] = static_cast<uint32_t>(i);
      found += hamming_distance(value, values[i]) <= most ? 1 : 0;
    }
  }
  return found;
}

}  // namespace kith::internal
