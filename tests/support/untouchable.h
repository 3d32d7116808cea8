// Mapped values that end the program where they are touched, and can only be read by copy().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include "base/check.h"
#include "base/memory.h"

namespace kith::test {

// What is read of them makes nothing resident: else a test with them does not end well.
// Thread-safe.
template <class T>
class Untouchable final : public Mapping {
 public:
  explicit Untouchable(std::vector<T> values) : values_(std::move(values)) {
    bytes_ = std::max<size_t>(1, values_.size() * sizeof(T));
    address_ = ::mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    KITH_CHECK(address_ != MAP_FAILED);
  }
  ~Untouchable() override { ::munmap(address_, bytes_); }
  Untouchable(const Untouchable&) = delete;
  Untouchable& operator=(const Untouchable&) = delete;

  // Where the values would be mapped.
  std::span<const T> span() const { return {static_cast<const T*>(address_), values_.size()}; }

  void release(Bytes) const override {}
  Status read(Bytes from, std::byte* to) const override {
    const auto offset = static_cast<size_t>(from.data() - static_cast<const std::byte*>(address_));
    KITH_CHECK(offset + from.size() <= values_.size() * sizeof(T));
    std::memcpy(to, reinterpret_cast<const std::byte*>(values_.data()) + offset, from.size());
    size_t largest = largest_;
    while (largest < from.size() && !largest_.compare_exchange_weak(largest, from.size())) {
    }
    return Status::ok();
  }
  // Bytes that were read at a time, at most.
  size_t largest() const { return largest_; }

 private:
  std::vector<T> values_;
  size_t bytes_ = 0;
  void* address_ = nullptr;
  mutable std::atomic<size_t> largest_ = 0;
};

}  // namespace kith::test
