// The files that the stages of `kith dedup` leave (docs/formats/dedup.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "run/job_directory.h"
#include "run/stage_files.h"
#include "storage/file_system.h"

namespace kith::jobs {

inline constexpr std::string_view documents_file = "documents.kith";
inline constexpr std::string_view names_file = "names.kith";
inline constexpr std::string_view digests_file = "digests.kith";  // where some are known
inline constexpr std::string_view sources_file = "sources.kith";  // likewise
inline constexpr std::string_view keep_keys_file = "keep_keys.kith";
inline constexpr std::string_view shingles_file = "shingles.kith";
inline constexpr std::string_view sketches_file = "sketches.kith";
inline constexpr std::string_view common_file = "common.kith";
inline constexpr std::string_view title_words_file = "title_words.kith";
inline constexpr std::string_view inlinks_file = "inlinks.kith";
inline constexpr std::string_view against_file = "against.kith";
inline constexpr std::string_view fingerprints_file = "fingerprints.kith";
inline constexpr std::string_view matches_file = "matches.kith";
inline constexpr std::string_view groups_file = "groups.kith";
// Of a shard, whose one stage is run::shard_stage.
inline constexpr std::string_view shard_texts_file = "shard_texts.kith";
inline constexpr std::string_view shard_links_file = "shard_links.kith";
inline constexpr std::string_view shard_captures_file = "shard_captures.kith";
inline constexpr std::string_view documents_stage = "documents";
inline constexpr std::string_view against_stage = "against";
inline constexpr std::string_view matches_stage = "matches";
inline constexpr std::string_view groups_stage = "groups";

run::StageFiles dedup_stage_files();

// The options that decide what the files of documents and groups hold, as a JSON object.
std::string dedup_identity(const DedupOptions& options);

// The run directory of `kith dedup` (docs/formats/dedup.md).

// Not thread-safe.
class DedupDirectory : public run::JobDirectory {
 public:
  // Makes the folder, or goes on with one that an earlier run with the same options and inputs
  // left. An error when the folder holds anything else, or another process is at work in it.
  // `against`: identities of the runs that options.against names.
  static Result<DedupDirectory> create(storage::FileSystem& fs, const DedupOptions& options,
                                       const std::vector<std::string>& against);
  // The same of a merge of shards.
  static Result<DedupDirectory> create_merged(storage::FileSystem& fs, const DedupOptions& options,
                                              const std::vector<std::string>& against,
                                              std::span<const DedupDirectory> shards);
  // Opens a finished run for reading. An error when there is none.
  static Result<DedupDirectory> open(storage::FileSystem& fs, const std::string& path);
  // Opens a folder for a merge. An error when it holds no finished shard.
  static Result<DedupDirectory> open_shard(storage::FileSystem& fs, const std::string& path);

  // Whether a folder holds a run or a shard, finished or not; one of another job is none.
  static bool is_run(storage::FileSystem& fs, const std::string& path);

  DedupReport& report() { return report_; }
  const DedupReport& report() const { return report_; }

  using run::JobDirectory::verify;
  // Reads what all finished stages have left, and the lists; the error names what is missing or
  // damaged.
  Status verify() const;

 private:
  DedupDirectory(storage::FileSystem& fs, std::string path)
      : run::JobDirectory(fs, std::move(path), run::dedup_job) {}

  static Result<DedupDirectory> enter(storage::FileSystem& fs, const DedupOptions& options,
                                      const std::string& identity);
  run::StageFiles stage_files() const override { return dedup_stage_files(); }
  bool read_report(const std::string& json) override;
  std::string report_json() const override;
  JobReport& job_report() override { return report_; }
  Status remove_other_temporaries() override;

  DedupReport report_;
};

}  // namespace kith::jobs
