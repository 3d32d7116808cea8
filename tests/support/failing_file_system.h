// The operating system's files where one operation fails, and all others succeed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/forwarding_file_system.h"

namespace kith::test {

// Operation `n`, counted from 0 over all files in the order in which they come, is an error and
// does nothing. Operations are those that may fail: to create, open, map, list, read, write, sync,
// close, truncate, rename, remove, share and lock. Thread-safe.
class FailingFileSystem final : public ForwardingFileSystem {
 public:
  static constexpr const char* message = "a failure that the test wants";

  explicit FailingFileSystem(uint64_t n) : n_(n) {}

  uint64_t operations() const { return operations_; }
  bool has_failed() const { return operations_ > n_; }
  // An error when it is the turn of operation n.
  Status step();

  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
  Result<std::unique_ptr<storage::WritableFile>> reopen(const std::string& path) override;
  Status truncate(const std::string& path, uint64_t bytes) override;
  Result<std::unique_ptr<storage::ReadableFile>> open(const std::string& path) override;
  Result<std::unique_ptr<storage::MappedFile>> map(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& folder) override;
  Status make_directories(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_tree(const std::string& path) override;
  Status remove_folder(const std::string& path) override;
  Status share(const std::string& from, const std::string& to) override;
  Result<std::unique_ptr<storage::FolderLock>> lock(const std::string& folder) override;

 private:
  const uint64_t n_;
  std::atomic<uint64_t> operations_ = 0;
};

}  // namespace kith::test
