// Many small arrays that stay where they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/large_array.h"

namespace kith {

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
