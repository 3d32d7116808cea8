// The operating system's files on a disk that is full after so many bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "storage/file_system.h"

namespace kith::test {

// Every append beyond the first `capacity` bytes, counted over all files, is an error, and
// leaves what fitted, as a real disk does. Removing files frees nothing. Thread-safe.
class FullDisk : public storage::FileSystem {
 public:
  explicit FullDisk(uint64_t capacity) : left_(static_cast<int64_t>(capacity)) {}

  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
  Result<std::unique_ptr<storage::ReadableFile>> open(const std::string& path) override {
    return real_.open(path);
  }
  Result<std::unique_ptr<storage::MappedFile>> map(const std::string& path) override {
    return real_.map(path);
  }
  bool exists(const std::string& path) override { return real_.exists(path); }
  Status make_directories(const std::string& path) override { return real_.make_directories(path); }
  Status rename(const std::string& from, const std::string& to) override {
    return real_.rename(from, to);
  }
  Status remove(const std::string& path) override { return real_.remove(path); }
  Status remove_tree(const std::string& path) override { return real_.remove_tree(path); }

  // Takes up to `bytes` of the capacity that is left; what it took.
  uint64_t take(uint64_t bytes);

 private:
  storage::FileSystem& real_ = storage::posix_file_system();
  std::atomic<int64_t> left_;
};

}  // namespace kith::test
