// Files in memory: for jobs over what a caller holds in memory, and for tests and fuzz targets that
// read what would be slow to write to a disk.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "storage/file_system.h"

namespace kith::storage {

// Folders are not kept: every path can be made, and exists() knows files only. A map() copies
// nothing, and stays as it is when the file grows; AddressSanitizer sees a read beyond its end.
class MemoryFileSystem : public FileSystem {
 public:
  void put(const std::string& path, std::string_view bytes);

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> reopen(const std::string& path) override;
  Status truncate(const std::string& path, uint64_t bytes) override;
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override;
  Result<std::unique_ptr<MappedFile>> map(const std::string& path) override;
  bool exists(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& folder) override;
  Status make_directories(const std::string&) override { return Status::ok(); }
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status remove_tree(const std::string& path) override;
  Status remove_folder(const std::string&) override { return Status::ok(); }

 private:
  class File;
  class Appender;
  class Reader;
  class Mapped;
  using SharedFile = std::shared_ptr<File>;
  Result<SharedFile> find(const std::string& path) const;

  mutable std::mutex mutex_;
  std::map<std::string, SharedFile> files_;  // guarded by mutex_
};

}  // namespace kith::storage
