#include "crawl/copy/record_copy.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kith/rows.h"

#include "base/hash.h"
#include "base/parallel/thread_pool.h"

namespace kith::crawl {
namespace {

void add(const CopyReport& part, CopyReport& sum) {
  sum.files += part.files;
  sum.bytes_in += part.bytes_in;
  sum.bytes_out += part.bytes_out;
  sum.removed += part.removed;
  sum.replaced += part.replaced;
  sum.kept_by_damage += part.kept_by_damage;
  sum.packed_again += part.packed_again;
  sum.written.insert(sum.written.end(), part.written.begin(), part.written.end());
}

// A file whose bytes are hashed on their way.
class HashedFile final : public storage::WritableFile {
 public:
  explicit HashedFile(std::unique_ptr<storage::WritableFile> file) : file_(std::move(file)) {}

  Status append(Bytes bytes) override {
    hash_.update(bytes);
    bytes_ += bytes.size();
    return file_->append(bytes);
  }
  void start_sync() override { file_->start_sync(); }
  Status sync() override { return file_->sync(); }
  Status close() override { return file_->close(); }

  uint64_t bytes() const { return bytes_; }
  uint64_t checksum() const { return hash_.digest(); }

 private:
  std::unique_ptr<storage::WritableFile> file_;
  StreamHash hash_;
  uint64_t bytes_ = 0;
};

// Writes the copy of one file to `path`.
Status copy_file(storage::FileSystem& fs, const PlannedCopy& planned,
                 const std::vector<uint64_t>& removed, const CopyChanges& changes,
                 const std::string& path, CopyReport& report) {
  const InputFile& file = planned.file;
  if (is_whole_page(file.format) && !removed.empty()) {
    report.bytes_in += file.size;
    ++report.removed;
    return Status::ok();
  }
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (!parent.empty()) KITH_TRY(fs.make_directories(parent));
  KITH_ASSIGN(auto plain, fs.create(path));
  HashedFile to(std::move(plain));
  KITH_TRY(copy_without(fs, file, removed, changes, to, report));
  KITH_TRY(to.sync());
  KITH_TRY(to.close());
  ++report.files;
  report.written.push_back(
      {tsv_field(planned.name), to.bytes(), fmt::format("{:016x}", to.checksum())});
  return Status::ok();
}

// Copies all files below `place`, or to `place` itself where the copy is one file.
Result<CopyReport> copy_files(storage::FileSystem& fs, ThreadPool& pool, const CopyPlan& plan,
                              const CopyChanges& changes, const std::string& place) {
  CopyReport report;
  std::mutex mutex;
  const auto copy = [&](size_t i, unsigned) -> Status {
    const PlannedCopy& planned = plan.files[i];
    CopyReport part;
    KITH_ASSIGN(const std::vector<uint64_t> records, changes.removed(planned.file.number));
    const std::string path = plan.is_folder ? place + "/" + planned.name : place;
    KITH_TRY(copy_file(fs, planned, records, changes, path, part));
    const std::lock_guard lock(mutex);
    add(part, report);
    return Status::ok();
  };
  KITH_TRY(pool.try_each(plan.files.size(), copy));
  std::ranges::sort(report.written, {}, &CopiedFile::name);
  return report;
}

std::string unfinished_place(const std::string& out, bool is_folder) {
  return is_folder ? out + "/" + std::string(kUnfinishedFolder) : storage::temporary_name(out);
}

// Moves what is complete out of the folder of the unfinished.
Status move_out(storage::FileSystem& fs, const CopyPlan& plan, const std::string& unfinished) {
  std::set<std::string> parts;
  for (const PlannedCopy& file : plan.files) {
    parts.insert(std::filesystem::path(file.name).begin()->string());
  }
  for (const std::string& part : parts) {
    std::string from = unfinished + "/";
    from += part;
    // A folder of HTML may have lost all its files.
    if (fs.exists(from)) KITH_TRY(fs.rename(from, plan.out + "/" + part));
  }
  return fs.remove_tree(unfinished);
}

}  // namespace

Status remove_unfinished(storage::FileSystem& fs, const std::string& out, bool is_folder) {
  return fs.remove_tree(unfinished_place(out, is_folder));
}

Result<CopyReport> write_copy(storage::FileSystem& fs, ThreadPool& pool, const CopyPlan& plan,
                              const CopyChanges& changes, const CopyComplete& complete) {
  const std::string unfinished = unfinished_place(plan.out, plan.is_folder);
  const auto write = [&]() -> Result<CopyReport> {
    KITH_TRY(remove_unfinished(fs, plan.out, plan.is_folder));
    if (plan.is_folder) KITH_TRY(fs.make_directories(unfinished));
    KITH_ASSIGN(CopyReport report, copy_files(fs, pool, plan, changes, unfinished));
    if (complete) KITH_TRY(complete(report));
    // The only file may be a page that is removed.
    if (!plan.is_folder && !report.written.empty()) KITH_TRY(fs.rename(unfinished, plan.out));
    return report;
  };
  Result<CopyReport> report = write();
  if (!report) {
    // The error is what the user needs to see; a failure to clean up is not.
    static_cast<void>(remove_unfinished(fs, plan.out, plan.is_folder));
    return report;
  }
  if (plan.is_folder) KITH_TRY(move_out(fs, plan, unfinished));
  return report;
}

}  // namespace kith::crawl
