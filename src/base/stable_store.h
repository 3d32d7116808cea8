// Many small arrays that stay where they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace kith {

// Arrays are cut from blocks of a MiB, or of their own where they are larger, which do not move
// when more come, and are freed together. Not thread-safe.
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
    return {reinterpret_cast<T*>(blocks_.back().get() + block_size_ - room_ - bytes), n};
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
  static constexpr size_t block_bytes = size_t{1} << 20;

  void add_block(size_t least) {
    block_size_ = std::max(block_bytes, least);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block_size_));
    room_ = block_size_;
    bytes_ += block_size_;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t block_size_ = 0;  // of the last
  size_t room_ = 0;        // in it
  uint64_t bytes_ = 0;
};

}  // namespace kith
