// Counts what is read of bags that lie in a file.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/memory.h"

namespace kith::similar {

// Counts what passes over the bags read.
class CountedReads final : public Mapping {
 public:
  uint64_t bytes() const { return bytes_; }
  void release(Bytes) const override {}
  Status read(Bytes from, std::byte* to) const override {
    bytes_ += from.size();
    std::memcpy(to, from.data(), from.size());
    return Status::ok();
  }

 private:
  mutable std::atomic<uint64_t> bytes_ = 0;
};

}  // namespace kith::similar
