// The folder in which a job makes its stages, one after the other, and goes on after a crash
// (docs/formats/run_directory.md). What the directories of all jobs share; what a job reports is
// its own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "base/budget.h"
#include "run/stage_files.h"
#include "storage/file_system.h"

namespace kith::run {

// Not thread-safe.
class JobDirectory {
 public:
  virtual ~JobDirectory() = default;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  // A folder for temporary files, empty in the beginning and removed by finish().
  std::string scratch() const { return path_ + "/tmp"; }
  // Removes what is in it.
  Status clear_scratch();

  // So many bytes, of which the shares that are given go into the report of the stage.
  Budget budget(uint64_t bytes) const { return Budget(bytes, given_); }

  // The finished stages in order.
  const std::vector<std::string>& stages() const { return manifest_.stages; }
  // Of what a finished stage has left; empty when the manifest has none.
  Checksums checksums(std::string_view stage) const;
  // Whether a stage is finished, and what it left was not found to be damaged.
  bool has(std::string_view stage) const;

  // Reads all that a finished stage has left; the error names what is missing or damaged.
  Status verify(std::string_view stage) const;
  // Whether nothing of the manifest has changed since it was written.
  Status verify_manifest() const { return run::verify_manifest(*fs_, path_); }
  // Verifies all finished stages. Those of which something is missing, damaged or from another run
  // are to be run again: has() denies them from now on. What the user should know of it, and of a
  // folder that could not be locked, are notes of `progress`.
  void find_damage(const ProgressCallback& progress);

  // Makes a stage by work(), times it and commits it, unless it is finished already. `progress` is
  // told when it begins, and when it is safe on the disk.
  Status run_stage(std::string_view name, const ProgressCallback& progress,
                   const std::function<Status()>& work);
  // Enters a stage whose files stand under their final names, into the report too. Stages are
  // deterministic, so that one which was run again leaves what it left before, and what follows
  // it stays; where it left something else all the same, the stages behind it are forgotten.
  Status commit(StageReport stage);
  // Removes temporary files, writes the report, and lets other processes into the folder. `lists`:
  // checksums of the lists that were written for people, if there are any.
  Status finish(Checksums lists = {});

  // Before lists are written: those of an earlier run are no longer known.
  Status forget_lists();
  const Checksums& lists() const { return manifest_.lists; }
  // Copies of the input that were written for this run, or were about to be, by their absolute
  // places. Null where there is none.
  const CopyRecord* copy_at(const std::string& place) const;
  // Enters a copy before it is moved to its place.
  Status enter_copy(const std::string& place, CopyRecord copy);
  // After an error: removes temporary files, and, when no stage was finished, all that was made.
  // Finished stages stay: the same command goes on with them.
  void abandon();

 protected:
  JobDirectory(storage::FileSystem& fs, std::string path, std::string_view job)
      : fs_(&fs), path_(std::move(path)), job_(job) {
    while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  }
  JobDirectory(JobDirectory&&) = default;
  JobDirectory& operator=(JobDirectory&&) = default;

  storage::FileSystem& file_system() const { return *fs_; }
  bool has_manifest() const;
  // Whether there is one of a run of this job, finished or not.
  bool has_own_manifest() { return has_manifest() && read_manifest_file().is_ok(); }
  // Manifest and report, for reading. Where there is no manifest the error says that the folder is
  // no `what`, and that `command` makes one.
  Status read(std::string_view what, std::string_view command);
  // The error where the last stage of a run of 'kith JOB' is not there.
  Error is_unfinished(std::string_view job) const;
  // Makes the folder, or goes on with one that an earlier run with the same identity left, whose
  // report is read; where that is damaged, all stages are to be run again. An error when the folder
  // holds anything else, or another process is at work in it. Other processes are kept out until
  // finish(), or as long as this object lives.
  Status enter(const std::string& identity);

 private:
  virtual StageFiles stage_files() const = 0;
  // Takes over the report of an earlier run; false when the bytes are none, or one that does not
  // fit the manifest.
  virtual bool read_report(const std::string& json) = 0;
  virtual std::string report_json() const = 0;
  virtual JobReport& job_report() = 0;
  // Where the plan stage has left its choices; of a job that has none, an empty report.
  virtual const Report& plan() const;
  // Temporary files beside those of stage files, manifest and report.
  virtual Status remove_other_temporaries() { return Status::ok(); }

  bool is_unused() const;
  Error is_missing(std::string_view what, std::string_view command) const;
  Status read_manifest_file();
  Status read_report_file();
  Status begin(const std::string& identity);
  Status write_report();
  Status write_manifest();
  Status remove_temporary_files();
  Status forget_after(std::string_view stage);
  void enter_report(StageReport stage);

  storage::FileSystem* fs_;
  std::string path_;
  std::string_view job_;
  std::unique_ptr<storage::FolderLock> lock_;
  std::shared_ptr<BudgetLog> given_ = std::make_shared<BudgetLog>();  // by the stage that is made
  bool made_folder_ = false;                                          // by enter()
  bool holds_stages_ = false;  // the manifest on the disk has some
  Manifest manifest_;
  std::map<std::string, std::string, std::less<>> damage_;  // by stage that is to be run again
};

}  // namespace kith::run
