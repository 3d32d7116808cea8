// CompareKernels over vectors: see vectors.h. A level has for it
//   uint64_t equal_lanes(U8s a, U8s b): bit i says whether a[i] == b[i];
//   Counts equal_counts(const U8s (&a)[n], const uint8_t* b): the equal bytes of n <= 4 vectors,
//     as numbers that can be added, and uint32_t total(Counts);
//   uint32_t count_first(const uint8_t* a, const uint8_t* b, size_t count): the equal bytes among
//     fewer than a vector.
#pragma once

#include "sketch/kernels/kernels.h"
#include "sketch/kernels/vectors.h"

namespace kith::sketch {
namespace {

// So many bytes of a row, which stay in registers.
template <size_t bytes>
struct Piece {
  static constexpr size_t vectors = bytes / vector_bytes;

  KITH_TARGET explicit Piece(const uint8_t* row) {
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; ++v) values[v] = load<U8s>(row + v * vector_bytes);
  }
  KITH_TARGET Counts counts(const uint8_t* other) const {
    return equal_counts(values, other);
  }
  KITH_TARGET uint32_t operator()(const uint8_t* other) const {
    return total(counts(other));
  }

  U8s values[vectors];
};

using UsualRow = Piece<usual_size>;

KITH_TARGET inline uint32_t count_row(const uint8_t* a, const uint8_t* b, size_t size) {
  if (size == usual_size) return UsualRow(a)(b);
  Counts counts{};
  size_t i = 0;
  for (; i + vector_bytes <= size; i += vector_bytes) {
    counts += Piece<vector_bytes>(a + i).counts(b + i);
  }
  return i == size ? total(counts) : total(counts) + count_first(a + i, b + i, size - i);
}

KITH_TARGET inline size_t select(const uint8_t* row, const uint8_t* rows, size_t size, size_t count,
                                 uint32_t least, uint32_t* selected) {
  if (size == usual_size) {
    return select_rows(UsualRow(row), {rows, usual_size}, count, least, selected);
  }
  return select_rows(CountWithRow<count_row>{row, size}, {rows, size}, count, least, selected);
}

KITH_TARGET inline void equal_bits(const uint8_t* a, const uint8_t* b, size_t size,
                                   uint64_t* words) {
  size_t i = 0;
  for (; i + 64 <= size; i += 64) {
    uint64_t bits = 0;
#pragma GCC unroll 2
    for (size_t j = 0; j < 64; j += vector_bytes) {
      bits |= equal_lanes(load<U8s>(a + i + j), load<U8s>(b + i + j)) << j;
    }
    words[i / 64] = bits;
  }
  equal_bits_from(i, a, b, size, words);
}

}  // namespace
}  // namespace kith::sketch
