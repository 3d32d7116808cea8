// A mapping that counts what it is told to give back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

#include "base/mapping.h"

namespace kith::test {

// Thread-safe.
class CountingMapping final : public Mapping {
 public:
  void release(Bytes bytes) const override {
    released_ += bytes.size();
    size_t largest = largest_;
    while (largest < bytes.size() && !largest_.compare_exchange_weak(largest, bytes.size())) {
    }
  }
  void copy(Bytes from, std::byte* to) const override { std::memcpy(to, from.data(), from.size()); }

  // Bytes given back, all together and at most at a time.
  size_t released() const { return released_; }
  size_t largest() const { return largest_; }

 private:
  mutable std::atomic<size_t> released_ = 0;
  mutable std::atomic<size_t> largest_ = 0;
};

}  // namespace kith::test
