// The operating system's files on a disk that is full after so many bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "support/forwarding_file_system.h"

namespace kith::test {

// Every append beyond the first `capacity` bytes, counted over all files, is an error, and
// leaves what fitted, as a real disk does. Removing files frees nothing. Thread-safe.
class FullDisk : public ForwardingFileSystem {
 public:
  explicit FullDisk(uint64_t capacity) : left_(static_cast<int64_t>(capacity)) {}

  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
  Result<std::unique_ptr<storage::WritableFile>> reopen(const std::string& path) override;

  // Takes up to `bytes` of the capacity that is left; what it took.
  uint64_t take(uint64_t bytes);

 private:
  std::atomic<int64_t> left_;
};

}  // namespace kith::test
