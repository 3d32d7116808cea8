// HammingKernels over vectors: see vectors.h. Hits are rare: vectors find where there are some, and
// they are looked for again one by one. A level has for it
//   U64s load_first(const uint64_t* values, size_t count): zeros behind;
//   U64s popcounts(U64s): in every lane;
//   unsigned near_lanes(U64s distances, uint32_t most): a bit per lane, 1 for at most `most`.
#pragma once

#include "sketch/kernels/kernels.h"
#include "sketch/kernels/vectors.h"

namespace kith::sketch {
namespace {

inline constexpr size_t hamming_width = vector_bytes / sizeof(uint64_t);

// Values that stay in registers. Lanes without one hold 0.
template <int vectors>
struct Columns {
  static constexpr size_t width = vectors * hamming_width;

  KITH_TARGET Columns(const uint64_t* columns, size_t count) {
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; ++v) {
      const size_t begin = v * hamming_width;
      values[v] = count == width ? load<U64s>(columns + begin)
                                 : load_first(columns + begin, std::max(count, begin) - begin);
    }
  }
  // Whether one of them is near, or a lane without one.
  KITH_TARGET bool any_near(uint64_t row, uint32_t most) const {
    // The high halves of distances are 0, and AVX2 knows no smaller one of 64 bits.
    auto least = (U32s)popcounts(values[0] ^ row);
#pragma GCC unroll 4
    for (int v = 1; v < vectors; ++v) {
      least = smaller(least, (U32s)popcounts(values[v] ^ row));
    }
    return near_lanes((U64s)least, most) != 0;
  }
  KITH_TARGET int near_count(uint64_t row, uint32_t most) const {
    int count = 0;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      count += __builtin_popcount(near_lanes(popcounts(values[v] ^ row), most));
    }
    return count;
  }

  U64s values[vectors];
};

// All rows in [0, end) against the columns in [begin, end).
template <int vectors>
[[gnu::always_inline]] KITH_TARGET inline void pairs_of_columns(const uint64_t* values,
                                                                size_t begin, size_t end,
                                                                uint32_t most,
                                                                const NearPairTaker& taker) {
  const Columns<vectors> columns(values + begin, end - begin);
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

KITH_TARGET inline void near_pairs(const uint64_t* values, size_t n, uint32_t most,
                                   const NearPairTaker& taker) {
  constexpr size_t step = Columns<4>::width;
  size_t begin = 0;
  for (; begin + step <= n; begin += step) {
    pairs_of_columns<4>(values, begin, begin + step, most, taker);
  }
  if (n - begin > step / 2) {
    pairs_of_columns<4>(values, begin, n, most, taker);
  } else if (n > begin) {
    pairs_of_columns<2>(values, begin, n, most, taker);
  }
}

KITH_TARGET inline size_t near_places(uint64_t value, const uint64_t* values, size_t n,
                                      uint32_t most, uint32_t* places) {
  constexpr size_t step = Columns<4>::width;
  size_t found = 0;
  size_t begin = 0;
  for (; begin + step <= n; begin += step) {
    if (!Columns<4>(values + begin, step).any_near(value, most)) [[likely]]
      continue;
    found = add_near(value, values, begin, begin + step, most, places, found);
  }
  if (begin < n && Columns<4>(values + begin, n - begin).any_near(value, most)) {
    found = add_near(value, values, begin, n, most, places, found);
  }
  return found;
}

}  // namespace
}  // namespace kith::sketch
