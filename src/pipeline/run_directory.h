// The run directory: stage files, the manifest that says which stages are finished, and the
// report (DESIGN.md section 3, rule 3; docs/formats/run_directory.md).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "storage/file_system.h"

namespace kith::pipeline {

// Names of the files of a run.
inline constexpr std::string_view urls_file = "urls.kith";
inline constexpr std::string_view titles_file = "titles.kith";
inline constexpr std::string_view terms_file = "terms.kith";
inline constexpr std::string_view bags_file = "bags.kith";
inline constexpr std::string_view bag_files[] = {urls_file, titles_file, terms_file, bags_file};
inline constexpr std::string_view signatures_file = "signatures.kith";
inline constexpr std::string_view neighbours_file = "neighbours.kith";
inline constexpr std::string_view clusters_file = "clusters.kith";

// One run under construction or finished. Not thread-safe.
class RunDirectory {
 public:
  // Makes the folder, or goes on with one that an earlier run with the same options and
  // inputs left. An error when the folder holds anything else.
  static Result<RunDirectory> create(storage::FileSystem& fs, const ClusterOptions& options);

  // Opens a folder for reading. An error when it holds no run that has finished `stage`.
  static Result<RunDirectory> open(storage::FileSystem& fs, const std::string& path,
                                   std::string_view stage = "cluster");

  // Whether a folder holds a run with bags; another program's manifest does not make it one.
  static bool is_run(storage::FileSystem& fs, const std::string& path);

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  // A folder for temporary files, made empty by create() and removed by finish().
  std::string scratch() const { return path_ + "/tmp"; }

  // What is known of the run so far; of finished stages after an interruption too.
  Report& report() { return report_; }
  const Report& report() const { return report_; }

  bool has(std::string_view stage) const;
  // Enters a stage whose files stand under their final names. Syncs.
  Status commit(std::string_view stage);
  // Removes temporary files and writes the report.
  Status finish();
  // After an error: removes temporary files, and, when no stage was finished, all that
  // create() has made. Finished stages stay: the same command goes on with them.
  void abandon();

 private:
  RunDirectory(storage::FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}
  Status read_manifest();
  Status write_manifest();
  Status accept_earlier_run(const std::string& identity);

  storage::FileSystem* fs_;
  std::string path_;
  bool made_folder_ = false;         // by create()
  std::string identity_;             // JSON: options and inputs
  std::vector<std::string> stages_;  // finished ones, in order
  Report report_;
};

}  // namespace kith::pipeline
