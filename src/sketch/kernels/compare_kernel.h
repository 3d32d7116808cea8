// Comparison of rows of bytes: what all SIMD levels share. Internal to src/sketch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sketch/signature.h"

namespace kith::sketch {

struct Rows {
  const uint8_t* first;
  size_t size;  // bytes of a row
  const uint8_t* operator[](size_t i) const { return first + i * size; }
};

struct CompareKernels {
  CountEqualKernel one;
  RowKernels rows;
};

// The row of 128 lanes has code of its own, in which the loop over its vectors is unrolled.
inline constexpr size_t usual_size = 128;

inline uint32_t count_bytes(const uint8_t* a, const uint8_t* b, size_t size) {
  uint32_t count = 0;
  for (size_t i = 0; i < size; ++i) count += a[i] == b[i];
  return count;
}

// As RowKernels::equal_bits, for the bytes from `begin` on, a multiple of 64.
inline void equal_bits_from(size_t begin, const uint8_t* a, const uint8_t* b, size_t size,
                            uint64_t* words) {
  for (size_t word = begin / 64; word * 64 < size; ++word) {
    const size_t first = word * 64;
    const size_t count = std::min<size_t>(64, size - first);
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= uint64_t{a[first + i] == b[first + i]} << i;
    words[word] = bits;
  }
}

// As RowKernels::select, of rows whose bytes equal to the row count_with(other) says. Written
// without a branch: whether a row is selected is as good as random to the processor. Some are
// counted before the first is judged, so that none waits for another. Inlined, so that it takes on
// the instruction set of its caller.
template <class CountWith>
[[gnu::always_inline]] inline size_t select_rows(const CountWith& count_with, Rows rows,
                                                 size_t count, uint32_t least, uint32_t* selected) {
  constexpr size_t together = 4;
  size_t found = 0;
  const auto judge = [&](size_t i, uint32_t equal) {
    selected[found] = static_cast<uint32_t>(i);
    found += equal >= least ? 1 : 0;
  };
  size_t i = 0;
  for (; i + together <= count; i += together) {
    const uint32_t equal[together] = {count_with(rows[i]), count_with(rows[i + 1]),
                                      count_with(rows[i + 2]), count_with(rows[i + 3])};
    for (size_t j = 0; j < together; ++j) judge(i + j, equal[j]);
  }
  for (; i < count; ++i) judge(i, count_with(rows[i]));
  return found;
}

// The bytes equal to a row of any size.
template <CountEqualKernel count>
struct CountWithRow {
  const uint8_t* row;
  size_t size;
  [[gnu::always_inline]] uint32_t operator()(const uint8_t* other) const {
    return count(row, other, size);
  }
};

}  // namespace kith::sketch
