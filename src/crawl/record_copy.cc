#include "crawl/record_copy.h"

#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "crawl/copy_work.h"
#include "parallel/first_error.h"

namespace kith::crawl {
namespace {

void add(const CopyReport& part, CopyReport& sum) {
  sum.files += part.files;
  sum.bytes_in += part.bytes_in;
  sum.bytes_out += part.bytes_out;
  sum.removed += part.removed;
  sum.kept_by_damage += part.kept_by_damage;
  sum.packed_again += part.packed_again;
}

// Writes the copy of one file to `path`, under a temporary name until it is complete.
Status copy_file(storage::FileSystem& fs, const InputFile& file,
                 const std::vector<uint64_t>& removed, const std::string& path,
                 CopyReport& report) {
  if (is_whole_page(file.format) && !removed.empty()) {
    report.bytes_in += file.size;
    ++report.removed;
    return Status::ok();
  }
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (!parent.empty()) KITH_TRY(fs.make_directories(parent));
  const std::string temporary = storage::temporary_name(path);
  const auto make = [&]() -> Status {
    KITH_ASSIGN(const std::unique_ptr<storage::WritableFile> to, fs.create(temporary));
    KITH_TRY(copy_without(fs, file, removed, *to, report));
    KITH_TRY(to->sync());
    KITH_TRY(to->close());
    return fs.rename(temporary, path);
  };
  Status status = make();
  // The error that led here is what the user needs to see; a failure to clean up is not.
  if (!status) static_cast<void>(fs.remove(temporary));
  ++report.files;
  return status;
}

// Copies all files below `folder`, or to `folder` itself where the copy is one file.
Result<CopyReport> copy_files(storage::FileSystem& fs, ThreadPool& pool, const CopyPlan& plan,
                              const RemovedRecords& removed, const std::string& folder) {
  CopyReport report;
  std::mutex mutex;
  FirstError error;
  pool.for_chunks(plan.files.size(), 1, [&](size_t i, size_t, unsigned) {
    if (error.failed()) return;
    const PlannedCopy& planned = plan.files[i];
    CopyReport part;
    const auto copy = [&]() -> Status {
      KITH_ASSIGN(const std::vector<uint64_t> records, removed(planned.file.number));
      const std::string path = plan.is_folder ? folder + "/" + planned.name : folder;
      return copy_file(fs, planned.file, records, path, part);
    };
    if (!error.keep(copy())) return;
    const std::lock_guard lock(mutex);
    add(part, report);
  });
  KITH_TRY(error.status());
  return report;
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

Result<CopyReport> write_copy(storage::FileSystem& fs, ThreadPool& pool, const CopyPlan& plan,
                              const RemovedRecords& removed) {
  if (!plan.is_folder) return copy_files(fs, pool, plan, removed, plan.out);
  const std::string unfinished = plan.out + "/" + std::string(kUnfinishedFolder);
  KITH_TRY(fs.remove_tree(unfinished));  // of a run that was ended
  KITH_TRY(fs.make_directories(unfinished));
  Result<CopyReport> report = copy_files(fs, pool, plan, removed, unfinished);
  if (!report) {
    static_cast<void>(fs.remove_tree(unfinished));
    return report;
  }
  KITH_TRY(move_out(fs, plan, unfinished));
  return report;
}

}  // namespace kith::crawl
