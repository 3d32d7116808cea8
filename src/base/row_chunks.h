// Rows that stay where they are while more are added.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/large_array.h"

namespace kith {

// Rows of equally many values, all bytes zero at first, in chunks: the first ones are small, so
// that few rows take little memory, and the others so large that the kernel gives huge pages. Not
// thread-safe while it grows.
template <class T>
class RowChunks {
 public:
  // REQUIRES: per_row > 0.
  explicit RowChunks(size_t per_row) : per_row_(per_row) {}

  // Makes room for rows below `rows`; where there is no memory, std::bad_alloc and all as before.
  void reserve(uint64_t rows) {
    while (end_ < rows) {
      const uint64_t more = chunks_.empty() ? least : end_ < most ? end_ : most;
      chunks_.emplace_back(more * per_row_);
      end_ += more;
    }
  }
  // The first value of a row. REQUIRES: there is room for it.
  T* operator[](uint64_t row) { return chunk(row).data() + place(row) * per_row_; }
  const T* operator[](uint64_t row) const { return chunk(row).data() + place(row) * per_row_; }

  uint64_t bytes() const { return end_ * per_row_ * sizeof(T); }

 private:
  // Of a chunk, in rows; the second chunk has as many as the first, the next ones as all before.
  static constexpr uint64_t least = 1 << 8;
  static constexpr uint64_t most = 1 << 15;

  // Rows before `most` lie in the chunk of their highest bit.
  static size_t number(uint64_t row) {
    constexpr size_t doubled = std::bit_width(most / least) - 1;
    if (row >= most) return doubled + row / most;
    return static_cast<size_t>(std::bit_width(row / least));
  }
  static uint64_t place(uint64_t row) {
    if (row >= most) return row % most;
    return row < least ? row : row - std::bit_floor(row);
  }
  LargeArray<T>& chunk(uint64_t row) { return chunks_[number(row)]; }
  const LargeArray<T>& chunk(uint64_t row) const { return chunks_[number(row)]; }

  size_t per_row_;
  std::vector<LargeArray<T>> chunks_;
  uint64_t end_ = 0;
};

}  // namespace kith
