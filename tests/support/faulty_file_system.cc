#include "support/faulty_file_system.h"

#include <algorithm>

namespace kith::test {
namespace {

class LimitedFile final : public storage::WritableFile {
 public:
  LimitedFile(FullDisk& disk, std::unique_ptr<storage::WritableFile> file)
      : disk_(disk), file_(std::move(file)) {}
  Status append(Bytes bytes) override {
    const uint64_t fits = disk_.take(bytes.size());
    KITH_TRY(file_->append(bytes.first(fits)));
    if (fits == bytes.size()) return Status::ok();
    return Error{ErrorKind::io, "cannot write: No space left on device"};
  }
  Status sync() override { return file_->sync(); }
  Status close() override { return file_->close(); }

 private:
  FullDisk& disk_;
  std::unique_ptr<storage::WritableFile> file_;
};

}  // namespace

uint64_t FullDisk::take(uint64_t bytes) {
  const auto wanted = static_cast<int64_t>(bytes);
  const int64_t before = left_.fetch_sub(wanted);
  return static_cast<uint64_t>(std::clamp<int64_t>(before, 0, wanted));
}

Result<std::unique_ptr<storage::WritableFile>> FullDisk::create(const std::string& path) {
  KITH_ASSIGN(auto file, real_.create(path));
  return std::unique_ptr<storage::WritableFile>(
      std::make_unique<LimitedFile>(*this, std::move(file)));
}

Result<std::unique_ptr<storage::WritableFile>> FullDisk::reopen(const std::string& path) {
  KITH_ASSIGN(auto file, real_.reopen(path));
  return std::unique_ptr<storage::WritableFile>(
      std::make_unique<LimitedFile>(*this, std::move(file)));
}

}  // namespace kith::test
