#include "support/crashing_file_system.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace kith::test {

class CrashingFile final : public storage::WritableFile {
 public:
  CrashingFile(CrashingFileSystem& fs, std::unique_ptr<storage::WritableFile> file,
               std::shared_ptr<CrashingFileSystem::Size> size)
      : fs_(fs), file_(std::move(file)), size_(std::move(size)) {}

  Status append(Bytes bytes) override {
    const std::lock_guard lock(fs_.mutex_);
    const bool is_crash = fs_.left_ == 0 && !fs_.crashed_;
    if (is_crash) KITH_TRY(file_->append(bytes.first(bytes.size() / 2)));
    KITH_TRY(fs_.step());
    size_->written += bytes.size();
    return file_->append(bytes);
  }
  Status sync() override {
    const std::lock_guard lock(fs_.mutex_);
    KITH_TRY(fs_.step());
    size_->synced = size_->written;
    return file_->sync();
  }
  Status close() override {
    const std::lock_guard lock(fs_.mutex_);
    KITH_TRY(fs_.step());
    return file_->close();
  }

 private:
  CrashingFileSystem& fs_;
  std::unique_ptr<storage::WritableFile> file_;
  std::shared_ptr<CrashingFileSystem::Size> size_;
};

Status CrashingFileSystem::step() {
  if (left_ > 0) {
    --left_;
    return Status::ok();
  }
  if (!std::exchange(crashed_, true) && loss_ == Loss::unsynced) lose_unsynced();
  return Error{ErrorKind::io, "the program was killed"};
}

void CrashingFileSystem::lose_unsynced() {
  for (const auto& [path, size] : sizes_) std::filesystem::resize_file(path, size->synced);
}

Result<std::unique_ptr<storage::WritableFile>> CrashingFileSystem::create(const std::string& path) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  KITH_ASSIGN(auto file, real_.create(path));
  const auto size = std::make_shared<Size>();
  sizes_[path] = size;
  return std::unique_ptr<storage::WritableFile>(
      std::make_unique<CrashingFile>(*this, std::move(file), size));
}

Result<std::unique_ptr<storage::WritableFile>> CrashingFileSystem::reopen(const std::string& path) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  KITH_ASSIGN(auto file, real_.reopen(path));
  return std::unique_ptr<storage::WritableFile>(
      std::make_unique<CrashingFile>(*this, std::move(file), sizes_[path]));
}

Status CrashingFileSystem::truncate(const std::string& path, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  KITH_TRY(real_.truncate(path, bytes));
  if (const auto size = sizes_.find(path); size != sizes_.end()) {
    size->second->written = bytes;
    size->second->synced = std::min(size->second->synced, bytes);
  }
  return Status::ok();
}

Status CrashingFileSystem::make_directories(const std::string& path) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  return real_.make_directories(path);
}

Status CrashingFileSystem::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  KITH_TRY(real_.rename(from, to));
  // A file, or all files of a folder.
  sizes_.erase(to);
  decltype(sizes_) renamed;
  for (const auto& [path, size] : sizes_) {
    const bool moves = path == from || path.starts_with(from + "/");
    renamed[moves ? to + path.substr(from.size()) : path] = size;
  }
  sizes_ = std::move(renamed);
  return Status::ok();
}

Status CrashingFileSystem::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  sizes_.erase(path);
  return real_.remove(path);
}

Status CrashingFileSystem::remove_tree(const std::string& path) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  std::erase_if(sizes_, [&](const auto& file) { return file.first.starts_with(path + "/"); });
  return real_.remove_tree(path);
}

Status CrashingFileSystem::remove_folder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  return real_.remove_folder(path);
}

// In the steps in which it comes to the disk.
Status CrashingFileSystem::share(const std::string& from, const std::string& to) {
  KITH_TRY(remove(to));
  const std::lock_guard lock(mutex_);
  KITH_TRY(step());
  return real_.share(from, to);
}

}  // namespace kith::test
