// The run directory: stage files, the manifest that says which stages are finished, and the
// report (DESIGN.md section 3, rule 3; docs/formats/run_directory.md).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "pipeline/manifest.h"
#include "pipeline/stage_files.h"
#include "storage/file_system.h"

namespace kith::pipeline {

// One run under construction or finished. Not thread-safe.
class RunDirectory {
 public:
  // Makes the folder, or goes on with one that an earlier run with the same options and
  // inputs left. An error when the folder holds anything else, or another process is at work in it.
  static Result<RunDirectory> create(storage::FileSystem& fs, const ClusterOptions& options);

  // Opens a folder for reading. An error when it holds no run that has finished `stage`.
  static Result<RunDirectory> open(storage::FileSystem& fs, const std::string& path,
                                   std::string_view stage = "cluster");

  // Opens a folder for a merge. An error when it holds no finished shard.
  static Result<RunDirectory> open_shard(storage::FileSystem& fs, const std::string& path);

  // Whether a folder holds a shard, finished or not.
  static bool is_shard(storage::FileSystem& fs, const std::string& path);
  // Of a shard: whether it holds signatures of a run's bags; else it holds pages of a crawl.
  bool holds_signatures() const;
  // What to say when a shard stands where a run is wanted: which one it is, and what to do.
  Error is_no_run() const;

  // Whether a folder holds a run with bags; another program's manifest does not make it one.
  static bool is_run(storage::FileSystem& fs, const std::string& path);

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  // A folder for temporary files, made empty by create() and removed by finish().
  std::string scratch() const { return path_ + "/tmp"; }

  // What is known of the run so far; of finished stages after an interruption too.
  Report& report() { return report_; }
  const Report& report() const { return report_; }

  // The finished stages in order.
  const std::vector<std::string>& stages() const { return manifest_.stages; }
  // Of what a finished stage has left; empty when the manifest has none.
  Checksums checksums(std::string_view stage) const;

  // Whether a stage is finished, and what it left was not found to be damaged.
  bool has(std::string_view stage) const;
  // Verifies all finished stages. Those of which something is missing, damaged or from another run
  // are to be run again: has() denies them from now on. `found` is called for each.
  using DamageCallback = std::function<void(const std::string& stage, const std::string& damage)>;
  void find_damage(const DamageCallback& found);
  // Reads all that a finished stage has left; the error names what is missing or damaged.
  Status verify(std::string_view stage) const;
  // Enters a stage whose files stand under their final names, into the report too. Stages are
  // deterministic, so that one which was run again leaves what it left before, and what follows
  // it stays; where it left something else all the same, the stages behind it are forgotten.
  Status commit(StageReport stage);
  // Removes temporary files, writes the report, and lets other processes into the folder.
  Status finish();
  // After an error: removes temporary files, and, when no stage was finished, all that
  // create() has made. Finished stages stay: the same command goes on with them.
  void abandon();

 private:
  RunDirectory(storage::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}
  Status read();
  Status write();
  Error is_unfinished() const;
  Status remove_temporary_files();
  Status forget_after(std::string_view stage);
  void enter(StageReport stage);

  storage::FileSystem* fs_;
  std::string path_;
  std::unique_ptr<storage::FolderLock> lock_;  // from create() to finish()
  bool made_folder_ = false;                   // by create()
  bool holds_stages_ = false;                  // the manifest on the disk has some
  Manifest manifest_;
  std::map<std::string, std::string, std::less<>> damage_;  // by stage that is to be run again
  Report report_;
};

}  // namespace kith::pipeline
