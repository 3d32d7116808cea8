// Values that stay where they are while more are added.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/memory.h"

namespace kith {

// Rows that stay where they are while more are added.

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

// Many small arrays that stay where they are.

// Arrays are cut from blocks which do not move when more come, and are freed together. A block
// has a MiB, or a part of all where they have many, so that it lies in huge pages (LargeArray), or
// what a larger array needs. Not thread-safe.
class StableStore {
 public:
  // n values that are still to be written; valid until clear().
  template <class T>
  std::span<T> allocate(size_t n) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= alignment);
    if (n == 0) return {};
    const size_t bytes = (n * sizeof(T) + alignment - 1) / alignment * alignment;
    if (bytes > room_) add_block(bytes);
    room_ -= bytes;
    return {reinterpret_cast<T*>(blocks_.back().data() + block_size_ - room_ - bytes), n};
  }

  // A copy of the values.
  template <class T>
  std::span<const T> copy(std::span<const T> values) {
    const std::span<T> place = allocate<T>(values.size());
    std::ranges::copy(values, place.begin());
    return place;
  }

  // Of all blocks.
  uint64_t bytes() const { return bytes_; }
  void clear() { *this = StableStore(); }

 private:
  static constexpr size_t alignment = alignof(uint64_t);
  static constexpr uint64_t min_block = uint64_t{1} << 20;
  static constexpr uint64_t max_block = uint64_t{64} << 20;
  static constexpr uint64_t blocks_of_all = 32;

  void add_block(size_t least) {
    block_size_ = std::max<size_t>(std::clamp(bytes_ / blocks_of_all, min_block, max_block), least);
    blocks_.emplace_back(block_size_);
    room_ = block_size_;
    bytes_ += block_size_;
  }

  std::vector<LargeArray<std::byte>> blocks_;
  size_t block_size_ = 0;  // of the last
  size_t room_ = 0;        // in it
  uint64_t bytes_ = 0;
};

}  // namespace kith
