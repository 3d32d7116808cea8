// The stages of a run: the manifest that lists them, and their files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "crawl/copy/record_copy.h"
#include "storage/file_system.h"
#include "storage/section_file.h"

namespace kith::run {

// Files that are read whole, such as those that a user writes by hand.

// The bytes of a file, a pipe, or standard input ("-"). Takes as much memory. An error (not_found
// or io) when it cannot be read.
Result<std::string> read_whole_file(const std::string& path);

// What messages call it.
std::string name_of_input(const std::string& path);

// The files that the stages of a run leave, and whether they are still as they were left.

// Names of the files of a run.
inline constexpr std::string_view urls_file = "urls.kith";
inline constexpr std::string_view titles_file = "titles.kith";
inline constexpr std::string_view terms_file = "terms.kith";
inline constexpr std::string_view bags_file = "bags.kith";
inline constexpr std::string_view aliases_file = "aliases.kith";  // where some are folded
inline constexpr std::string_view times_file = "times.kith";      // where some are known
inline constexpr std::string_view bag_files[] = {urls_file, titles_file, terms_file, bags_file};
inline constexpr std::string_view signatures_file = "signatures.kith";
inline constexpr std::string_view neighbours_file = "neighbours.kith";
inline constexpr std::string_view other_sites_file = "other_sites.kith";
// The same lists by smoothed bags.
inline constexpr std::string_view smoothed_file = "smoothed.kith";
inline constexpr std::string_view smoothed_sites_file = "smoothed_sites.kith";
inline constexpr std::string_view pairs_file = "pairs.kith";  // of runs by the paper
inline constexpr std::string_view clusters_file = "clusters.kith";
inline constexpr std::string_view topics_file = "topics.kith";
// Of a shard (docs/formats/shards.md), and its one stage.
inline constexpr std::string_view shard_file = "shard.kith";
inline constexpr std::string_view signature_shard_file = "shard_signatures.kith";
inline constexpr std::string_view shard_stage = "shard";
inline constexpr std::string_view report_file = "report.json";
inline constexpr std::string_view manifest_file = "manifest.json";
inline constexpr int manifest_format = 4;

// A file that a stage leaves.
struct StageFile {
  std::string_view stage;
  std::string_view name;
  storage::FileKind kind;
  bool optional = false;  // made by some runs only
};
using StageFiles = std::span<const StageFile>;

// What a stage has left: the checksum of every file by its name, in hexadecimal digits. The plan
// stage leaves the threshold and the engine in the report, and the checksum is of these.
using Checksums = std::map<std::string, std::string, std::less<>>;

// Of what a stage has just left in `folder`; reads the section tables only. Empty for a stage that
// leaves nothing which others read. An error when a file is missing or cannot be opened.
Result<Checksums> checksums_of(storage::FileSystem& fs, const std::string& folder, StageFiles files,
                               std::string_view stage, const Report& report);

// Reads what a stage has left and compares it with the checksums in the files, and with those in
// `expected` where they are named there. The error names the file.
Status verify_files(storage::FileSystem& fs, const std::string& folder, StageFiles files,
                    std::string_view stage, const Report& report, const Checksums& expected);

// Removes what a stage has left, or any.
Status remove_files(storage::FileSystem& fs, const std::string& folder, StageFiles files,
                    std::string_view stage);
Status remove_all_files(storage::FileSystem& fs, const std::string& folder, StageFiles files);

// Removes what stages that were killed have left under temporary names.
Status remove_temporaries(storage::FileSystem& fs, const std::string& folder, StageFiles files);

// The manifest of a run directory: which stages are finished, with which options, inputs and
// checksums (docs/formats/run_directory.md). What the directories of all jobs share.
inline constexpr std::string_view cluster_job = "cluster";
inline constexpr std::string_view dedup_job = "dedup";
inline constexpr std::string_view passages_job = "dedup --unit";

// A copy of the input that was written for this run, or was about to be (docs/formats/copy.md).
struct CopyRecord {
  bool is_folder = true;
  std::vector<crawl::CopiedFile> files;                 // by name
  std::map<std::string, uint64_t, std::less<>> counts;  // of the report, by their names there
};

struct Manifest {
  std::string identity;                                     // JSON: options and inputs
  std::vector<std::string> stages;                          // finished ones, in order
  std::map<std::string, Checksums, std::less<>> checksums;  // by stage
  Checksums lists;                                          // of `kith dedup`, by file
  std::map<std::string, CopyRecord, std::less<>> copies;    // by place, escaped as a TSV field
};

// Errors: damage; a run of another job; one of another version.
Result<Manifest> read_manifest(storage::FileSystem& fs, const std::string& folder,
                               std::string_view job);
// An error where anything of the manifest has changed since it was written.
Status verify_manifest(storage::FileSystem& fs, const std::string& folder);
Status write_manifest(storage::FileSystem& fs, const std::string& folder, std::string_view job,
                      const Manifest& manifest);

// Whether a run may be gone on with: an error of kind usage where options or inputs are others, or
// are a pipe, which cannot be compared.
Status accept_identity(const std::string& folder, const Manifest& earlier_run,
                       const std::string& identity);

// A manifest or report that cannot be read.
Error is_damaged(std::string_view file, std::string_view folder);

}  // namespace kith::run
