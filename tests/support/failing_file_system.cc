#include "support/failing_file_system.h"

#include <utility>

namespace kith::test {
namespace {

class FailingWritable final : public storage::WritableFile {
 public:
  FailingWritable(FailingFileSystem& fs, std::unique_ptr<storage::WritableFile> file)
      : fs_(fs), file_(std::move(file)) {}
  Status append(Bytes bytes) override {
    KITH_TRY(fs_.step());
    return file_->append(bytes);
  }
  Status sync() override {
    KITH_TRY(fs_.step());
    return file_->sync();
  }
  Status close() override {
    KITH_TRY(fs_.step());
    return file_->close();
  }

 private:
  FailingFileSystem& fs_;
  std::unique_ptr<storage::WritableFile> file_;
};

class FailingReadable final : public storage::ReadableFile {
 public:
  FailingReadable(FailingFileSystem& fs, std::unique_ptr<storage::ReadableFile> file)
      : fs_(fs), file_(std::move(file)) {}
  uint64_t size() const override { return file_->size(); }
  Result<size_t> read_at(uint64_t offset, std::span<std::byte> out) const override {
    KITH_TRY(fs_.step());
    return file_->read_at(offset, out);
  }

 private:
  FailingFileSystem& fs_;
  std::unique_ptr<storage::ReadableFile> file_;
};

class FailingMapped final : public storage::MappedFile {
 public:
  FailingMapped(FailingFileSystem& fs, std::unique_ptr<storage::MappedFile> file)
      : fs_(fs), file_(std::move(file)) {}
  Bytes bytes() const override { return file_->bytes(); }
  Status check_size() const override {
    KITH_TRY(fs_.step());
    return file_->check_size();
  }
  void release(Bytes bytes) const override { file_->release(bytes); }
  Status read(Bytes from, std::byte* to) const override {
    KITH_TRY(fs_.step());
    return file_->read(from, to);
  }

 private:
  FailingFileSystem& fs_;
  std::unique_ptr<storage::MappedFile> file_;
};

template <class Interface, class Failing>
Result<std::unique_ptr<Interface>> wrap(FailingFileSystem& fs,
                                        Result<std::unique_ptr<Interface>> file) {
  if (!file) return file;
  return std::unique_ptr<Interface>(std::make_unique<Failing>(fs, std::move(file).value()));
}

}  // namespace

Status FailingFileSystem::step() {
  if (operations_.fetch_add(1) != n_) return Status::ok();
  return Error{ErrorKind::io, message};
}

Result<std::unique_ptr<storage::WritableFile>> FailingFileSystem::create(const std::string& path) {
  KITH_TRY(step());
  return wrap<storage::WritableFile, FailingWritable>(*this, real_.create(path));
}

Result<std::unique_ptr<storage::WritableFile>> FailingFileSystem::reopen(const std::string& path) {
  KITH_TRY(step());
  return wrap<storage::WritableFile, FailingWritable>(*this, real_.reopen(path));
}

Status FailingFileSystem::truncate(const std::string& path, uint64_t bytes) {
  KITH_TRY(step());
  return real_.truncate(path, bytes);
}

Result<std::unique_ptr<storage::ReadableFile>> FailingFileSystem::open(const std::string& path) {
  KITH_TRY(step());
  return wrap<storage::ReadableFile, FailingReadable>(*this, real_.open(path));
}

Result<std::unique_ptr<storage::MappedFile>> FailingFileSystem::map(const std::string& path) {
  KITH_TRY(step());
  return wrap<storage::MappedFile, FailingMapped>(*this, real_.map(path));
}

Result<std::vector<std::string>> FailingFileSystem::list(const std::string& folder) {
  KITH_TRY(step());
  return real_.list(folder);
}

Status FailingFileSystem::make_directories(const std::string& path) {
  KITH_TRY(step());
  return real_.make_directories(path);
}

Status FailingFileSystem::rename(const std::string& from, const std::string& to) {
  KITH_TRY(step());
  return real_.rename(from, to);
}

Status FailingFileSystem::remove(const std::string& path) {
  KITH_TRY(step());
  return real_.remove(path);
}

Status FailingFileSystem::remove_tree(const std::string& path) {
  KITH_TRY(step());
  return real_.remove_tree(path);
}

Status FailingFileSystem::remove_folder(const std::string& path) {
  KITH_TRY(step());
  return real_.remove_folder(path);
}

Status FailingFileSystem::share(const std::string& from, const std::string& to) {
  KITH_TRY(step());
  return real_.share(from, to);
}

Result<std::unique_ptr<storage::FolderLock>> FailingFileSystem::lock(const std::string& folder) {
  KITH_TRY(step());
  return real_.lock(folder);
}

}  // namespace kith::test
