// The operating system's files: what file systems that fail on command begin with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/file_system.h"

namespace kith::test {

class ForwardingFileSystem : public storage::FileSystem {
 public:
  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override {
    return real_.create(path);
  }
  Result<std::unique_ptr<storage::WritableFile>> reopen(const std::string& path) override {
    return real_.reopen(path);
  }
  Status truncate(const std::string& path, uint64_t bytes) override {
    return real_.truncate(path, bytes);
  }
  Result<std::unique_ptr<storage::ReadableFile>> open(const std::string& path) override {
    return real_.open(path);
  }
  Result<std::unique_ptr<storage::MappedFile>> map(const std::string& path) override {
    return real_.map(path);
  }
  bool exists(const std::string& path) override { return real_.exists(path); }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return real_.list(folder);
  }
  Status make_directories(const std::string& path) override { return real_.make_directories(path); }
  Status rename(const std::string& from, const std::string& to) override {
    return real_.rename(from, to);
  }
  Status remove(const std::string& path) override { return real_.remove(path); }
  Status remove_tree(const std::string& path) override { return real_.remove_tree(path); }
  Status remove_folder(const std::string& path) override { return real_.remove_folder(path); }
  Result<std::unique_ptr<storage::FolderLock>> lock(const std::string& folder) override {
    return real_.lock(folder);
  }

 protected:
  storage::FileSystem& real_ = storage::posix_file_system();
};

}  // namespace kith::test
