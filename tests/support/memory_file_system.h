// Files in memory, for tests and fuzz targets that read what would be slow to write to a disk.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "storage/file_system.h"

namespace kith::test {

// Folders are not kept: every path can be made, and exists() knows files only. A map() is a copy
// of its own that ends where the file ends, so that AddressSanitizer sees a read beyond it. Not
// thread-safe, but different files may be read and written by different threads.
class MemoryFileSystem : public storage::FileSystem {
 public:
  void put(const std::string& path, std::string_view bytes);

  Result<std::unique_ptr<storage::WritableFile>> create(const std::string& path) override;
  Result<std::unique_ptr<storage::WritableFile>> reopen(const std::string& path) override;
  Result<std::unique_ptr<storage::ReadableFile>> open(const std::string& path) override;
  Result<std::unique_ptr<storage::MappedFile>> map(const std::string& path) override;
  bool exists(const std::string& path) override { return files_.contains(path); }
  Status make_directories(const std::string&) override { return Status::ok(); }
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_tree(const std::string& path) override;
  Status remove_folder(const std::string&) override { return Status::ok(); }

 private:
  using Content = std::shared_ptr<std::string>;
  Result<Content> find(const std::string& path) const;

  std::map<std::string, Content> files_;
};

}  // namespace kith::test
