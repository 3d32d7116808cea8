// The run directory of `kith cluster`: stage files, the manifest that says which stages are
// finished, and the report (docs/formats/run_directory.md).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "run/job_directory.h"
#include "storage/file_system.h"

namespace kith::jobs {

// One run under construction or finished. Not thread-safe.
class RunDirectory : public run::JobDirectory {
 public:
  // Makes the folder, or goes on with one that an earlier run with the same options and
  // inputs left. An error when the folder holds anything else, or another process is at work in
  // it.
  static Result<RunDirectory> create(storage::FileSystem& fs, const ClusterOptions& options);
  // The same of bags that a program makes: the inputs are no files, but say what the bags are made
  // of.
  static Result<RunDirectory> create_for_bags(storage::FileSystem& fs,
                                              const ClusterOptions& options);

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

  // What is known of the run so far; of finished stages after an interruption too.
  Report& report() { return report_; }
  const Report& report() const { return report_; }

 private:
  static Result<RunDirectory> enter(storage::FileSystem& fs, const ClusterOptions& options,
                                    const std::string& identity);
  RunDirectory(storage::FileSystem& fs, std::string path)
      : run::JobDirectory(fs, std::move(path), run::cluster_job) {}

  run::StageFiles stage_files() const override;
  bool read_report(const std::string& json) override;
  std::string report_json() const override;
  JobReport& job_report() override { return report_; }
  const Report& plan() const override { return report_; }

  Report report_;
};

}  // namespace kith::jobs
