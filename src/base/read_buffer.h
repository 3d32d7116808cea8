// Room for what is read from a file again and again.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace kith {

// Grows, is never cleared, and gives its memory back with its end. Not thread-safe.
template <class T>
class ReadBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Values that are to be written; what was given before is no longer valid.
  std::span<T> room_for(size_t values) {
    if (values > room_) memory_ = std::make_unique_for_overwrite<T[]>(room_ = values);
    return {memory_.get(), values};
  }

 private:
  std::unique_ptr<T[]> memory_;
  size_t room_ = 0;
};

}  // namespace kith
