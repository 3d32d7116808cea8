#include "storage/memory_file_system.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace kith::storage {
namespace {

constexpr std::align_val_t page_alignment{4096};  // as of an mmap

class MemoryWritableFile final : public WritableFile {
 public:
  explicit MemoryWritableFile(std::shared_ptr<std::string> content)
      : content_(std::move(content)) {}
  Status append(Bytes bytes) override {
    content_->append(as_text(bytes));
    return Status::ok();
  }
  Status sync() override { return Status::ok(); }
  Status close() override { return Status::ok(); }

 private:
  std::shared_ptr<std::string> content_;
};

class MemoryReadableFile final : public ReadableFile {
 public:
  explicit MemoryReadableFile(std::shared_ptr<std::string> content)
      : content_(std::move(content)) {}
  uint64_t size() const override { return content_->size(); }
  Result<size_t> read_at(uint64_t offset, std::span<std::byte> out) const override {
    const Bytes bytes = as_bytes(*content_);
    const Bytes rest = bytes.subspan(std::min<uint64_t>(offset, bytes.size()));
    const size_t size = std::min(rest.size(), out.size());
    std::copy_n(rest.begin(), size, out.begin());
    return size;
  }

 private:
  std::shared_ptr<std::string> content_;
};

class MemoryMappedFile final : public MappedFile {
 public:
  explicit MemoryMappedFile(const std::string& content)
      : size_(content.size()),
        bytes_(static_cast<std::byte*>(::operator new(size_, page_alignment))) {
    std::memcpy(bytes_, content.data(), size_);
  }
  ~MemoryMappedFile() override { ::operator delete(bytes_, page_alignment); }
  MemoryMappedFile(const MemoryMappedFile&) = delete;
  MemoryMappedFile& operator=(const MemoryMappedFile&) = delete;
  Bytes bytes() const override { return {bytes_, size_}; }
  void release(Bytes) const override {}
  void copy(Bytes from, std::byte* to) const override { std::memcpy(to, from.data(), from.size()); }

 private:
  size_t size_;
  std::byte* bytes_;
};

}  // namespace

void MemoryFileSystem::put(const std::string& path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  files_[path] = std::make_shared<std::string>(bytes);
}

Result<MemoryFileSystem::Content> MemoryFileSystem::find(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(path);
  if (found == files_.end()) return Error{ErrorKind::not_found, "cannot open " + path};
  return found->second;
}

Result<std::unique_ptr<WritableFile>> MemoryFileSystem::create(const std::string& path) {
  const auto content = std::make_shared<std::string>();
  const std::lock_guard lock(mutex_);
  files_[path] = content;
  return std::unique_ptr<WritableFile>(std::make_unique<MemoryWritableFile>(content));
}

Result<std::unique_ptr<WritableFile>> MemoryFileSystem::reopen(const std::string& path) {
  KITH_ASSIGN(Content content, find(path));
  return std::unique_ptr<WritableFile>(std::make_unique<MemoryWritableFile>(std::move(content)));
}

Result<std::unique_ptr<ReadableFile>> MemoryFileSystem::open(const std::string& path) {
  KITH_ASSIGN(Content content, find(path));
  return std::unique_ptr<ReadableFile>(std::make_unique<MemoryReadableFile>(std::move(content)));
}

Result<std::unique_ptr<MappedFile>> MemoryFileSystem::map(const std::string& path) {
  KITH_ASSIGN(const Content content, find(path));
  return std::unique_ptr<MappedFile>(std::make_unique<MemoryMappedFile>(*content));
}

bool MemoryFileSystem::exists(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return files_.contains(path);
}

Status MemoryFileSystem::rename(const std::string& from, const std::string& to) {
  KITH_ASSIGN(Content content, find(from));
  if (from == to) return Status::ok();
  const std::lock_guard lock(mutex_);
  files_[to] = std::move(content);
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
