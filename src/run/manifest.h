// The manifest of a run directory: which stages are finished, with which options, inputs and
// checksums (docs/formats/run_directory.md). What the directories of all jobs share.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "crawl/copy/record_copy.h"
#include "run/stage_files.h"
#include "storage/file_system.h"

namespace kith::run {

inline constexpr std::string_view cluster_job = "cluster";
inline constexpr std::string_view dedup_job = "dedup";

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
