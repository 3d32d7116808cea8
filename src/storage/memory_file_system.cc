#include "storage/memory_file_system.h"

#include <algorithm>
#include <utility>

#include "storage/string_table.h"

namespace kith::storage {

// A file, which whoever has opened it keeps alive.
class MemoryFileSystem::File {
 public:
  // What is mapped now stays as it is.
  void append(Bytes bytes) {
    if (pages_.use_count() > 1) pages_ = std::make_shared<GrowingPages>(*pages_);
    pages_->append(bytes);
  }
  void truncate(uint64_t bytes) {
    const auto shorter = std::make_shared<GrowingPages>();
    shorter->append(this->bytes().first(bytes));
    pages_ = shorter;
  }
  Bytes bytes() const { return pages_->bytes(); }
  std::shared_ptr<const GrowingPages> pages() const { return pages_; }

 private:
  std::shared_ptr<GrowingPages> pages_ = std::make_shared<GrowingPages>();
};

class MemoryFileSystem::Appender final : public WritableFile {
 public:
  explicit Appender(SharedFile file) : file_(std::move(file)) {}
  Status append(Bytes bytes) override {
    file_->append(bytes);
    return Status::ok();
  }
  Status sync() override { return Status::ok(); }
  Status close() override { return Status::ok(); }

 private:
  SharedFile file_;
};

class MemoryFileSystem::Reader final : public ReadableFile {
 public:
  explicit Reader(SharedFile file) : file_(std::move(file)) {}
  uint64_t size() const override { return file_->bytes().size(); }
  Result<size_t> read_at(uint64_t offset, std::span<std::byte> out) const override {
    const Bytes bytes = file_->bytes();
    const Bytes rest = bytes.subspan(std::min<uint64_t>(offset, bytes.size()));
    const size_t size = std::min(rest.size(), out.size());
    std::copy_n(rest.begin(), size, out.begin());
    return size;
  }

 private:
  SharedFile file_;
};

class MemoryFileSystem::Mapped final : public MappedFile {
 public:
  explicit Mapped(const File& file) : pages_(file.pages()) {}
  Bytes bytes() const override { return pages_->bytes(); }
  void release(Bytes) const override {}
  Status read(Bytes from, std::byte* to) const override {
    std::ranges::copy(from, to);  // where nothing is read, `to` may be null
    return Status::ok();
  }

 private:
  std::shared_ptr<const GrowingPages> pages_;
};

void MemoryFileSystem::put(const std::string& path, std::string_view bytes) {
  const auto file = std::make_shared<File>();
  file->append(as_bytes(bytes));
  const std::lock_guard lock(mutex_);
  files_[path] = file;
}

Result<MemoryFileSystem::SharedFile> MemoryFileSystem::find(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end()) return Error{ErrorKind::not_found, "cannot open " + path};
  return found->second;
}

Result<std::unique_ptr<WritableFile>> MemoryFileSystem::create(const std::string& path) {
  const auto file = std::make_shared<File>();
  const std::lock_guard lock(mutex_);
  files_[path] = file;
  return std::unique_ptr<WritableFile>(std::make_unique<Appender>(file));
}

Result<std::unique_ptr<WritableFile>> MemoryFileSystem::reopen(const std::string& path) {
  KITH_ASSIGN(SharedFile file, find(path));
  return std::unique_ptr<WritableFile>(std::make_unique<Appender>(std::move(file)));
}

Status MemoryFileSystem::truncate(const std::string& path, uint64_t bytes) {
  KITH_ASSIGN(const SharedFile file, find(path));
  file->truncate(bytes);
  return Status::ok();
}

Result<std::unique_ptr<ReadableFile>> MemoryFileSystem::open(const std::string& path) {
  KITH_ASSIGN(SharedFile file, find(path));
  return std::unique_ptr<ReadableFile>(std::make_unique<Reader>(std::move(file)));
}

Result<std::unique_ptr<MappedFile>> MemoryFileSystem::map(const std::string& path) {
  KITH_ASSIGN(const SharedFile file, find(path));
  return std::unique_ptr<MappedFile>(std::make_unique<Mapped>(*file));
}

bool MemoryFileSystem::exists(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return files_.contains(path);
}

Result<std::vector<std::string>> MemoryFileSystem::list(const std::string& folder) {
  const std::string prefix = folder + "/";
  std::vector<std::string> names;
  const std::lock_guard lock(mutex_);
  for (auto file = files_.lower_bound(prefix);
       file != files_.end() && file->first.starts_with(prefix); ++file) {
    const std::string_view rest = std::string_view(file->first).substr(prefix.size());
    names.emplace_back(rest.substr(0, rest.find('/')));
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Status MemoryFileSystem::rename(const std::string& from, const std::string& to) {
  KITH_ASSIGN(SharedFile file, find(from));
  if (from == to) return Status::ok();
  const std::lock_guard lock(mutex_);
  files_[to] = std::move(file);
  files_.erase(from);
  return Status::ok();
}

Status MemoryFileSystem::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
  return Status::ok();
}

Status MemoryFileSystem::remove_tree(const std::string& path) {
  const std::lock_guard lock(mutex_);
  std::erase_if(files_, [&](const auto& file) {
    return file.first == path || file.first.starts_with(path + "/");
  });
  return Status::ok();
}

}  // namespace kith::storage
