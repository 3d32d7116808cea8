// What tests and fuzzers read from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "crawl/read/byte_source.h"

namespace kith::test {

// Bytes in memory that outlive the source.
class MemorySource : public crawl::ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes), rest_(bytes) {}

  Result<size_t> read(std::span<char> buffer) override {
    const size_t n = std::min(buffer.size(), rest_.size());
    if (n > 0) std::memcpy(buffer.data(), rest_.data(), n);
    rest_.remove_prefix(n);
    return n;
  }
  std::optional<uint64_t> known_size() const override { return bytes_.size(); }
  Status seek(uint64_t offset) override {
    rest_ = bytes_.substr(static_cast<size_t>(offset));
    return Status::ok();
  }

 private:
  std::string_view bytes_;
  std::string_view rest_;
};

}  // namespace kith::test
