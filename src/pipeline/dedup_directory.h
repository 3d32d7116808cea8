// The run directory of `kith dedup`: which stages are finished, and the report. The rules are those
// of run_directory.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "pipeline/manifest.h"
#include "pipeline/stage_files.h"
#include "storage/file_system.h"

namespace kith::pipeline {

// Not thread-safe.
class DedupDirectory {
 public:
  // Makes the folder, or goes on with one that an earlier run with the same options and inputs
  // left. An error when the folder holds anything else, or another process is at work in it.
  // `against`: identities of the runs that options.against names.
  static Result<DedupDirectory> create(storage::FileSystem& fs, const DedupOptions& options,
                                       const std::vector<std::string>& against);
  // Opens a finished run for reading. An error when there is none.
  static Result<DedupDirectory> open(storage::FileSystem& fs, const std::string& path);

  // Whether a folder holds a run, finished or not; one of another job is none.
  static bool is_run(storage::FileSystem& fs, const std::string& path);

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  // A folder for temporary files, made empty by create() and removed by finish().
  std::string scratch() const { return path_ + "/tmp"; }

  DedupReport& report() { return report_; }
  const DedupReport& report() const { return report_; }

  // Of what a finished stage has left; empty when the manifest has none.
  Checksums checksums(std::string_view stage) const;
  // Whether a stage is finished, and what it left was not found to be damaged.
  bool has(std::string_view stage) const;
  // Reads what all finished stages have left; damaged ones are to be run again. `found` is called
  // for each of these.
  void find_damage(
      const std::function<void(const std::string& stage, const std::string& damage)>& found);
  // Reads what all finished stages have left; the error names what is missing or damaged.
  Status verify() const;
  // The same of one stage.
  Status verify(std::string_view stage) const;
  // Enters a stage whose files stand under their final names. Where a stage that was run again left
  // something else than before, the stages behind it are forgotten.
  Status commit(StageReport stage);
  // Removes temporary files, writes the report, and lets other processes into the folder.
  Status finish();
  // After an error: removes temporary files, and all that create() made if no stage was finished.
  void abandon();

 private:
  DedupDirectory(storage::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}
  Status read();
  Status write();
  Status remove_temporary_files();
  Status forget_after(std::string_view stage);

  storage::FileSystem* fs_;
  std::string path_;
  std::unique_ptr<storage::FolderLock> lock_;  // from create() to finish()
  bool made_folder_ = false;
  bool holds_stages_ = false;  // the manifest on the disk has some
  Manifest manifest_;
  std::map<std::string, std::string, std::less<>> damage_;
  DedupReport report_;
};

}  // namespace kith::pipeline
