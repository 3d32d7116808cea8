#include "pipeline/stage_files.h"

#include <utility>

#include <fmt/format.h>

#include "bags/shard_file.h"
#include "bags/tables.h"
#include "base/hash.h"
#include "index/clusters.h"
#include "index/neighbours.h"
#include "index/sketch_file.h"
#include "pairs/fingerprint_groups.h"
#include "pipeline/against_file.h"
#include "pipeline/common_shingles.h"
#include "pipeline/dedup_groups.h"
#include "pipeline/dedup_match.h"
#include "pipeline/document_table.h"
#include "pipeline/inlink_counter.h"
#include "pipeline/json.h"
#include "pipeline/signature_shard.h"
#include "pipeline/signature_stage.h"
#include "storage/section_file.h"

namespace kith::pipeline {
namespace {

constexpr std::string_view plan_stage = "plan";

struct StageFile {
  std::string_view stage;
  std::string_view name;
  storage::FileKind kind;
  bool optional = false;  // made by some runs only
};

constexpr StageFile stage_files[] = {
    {"bags", urls_file, bags::urls_kind},
    {"bags", titles_file, bags::titles_kind},
    {"bags", terms_file, bags::terms_kind},
    {"bags", bags_file, bags::bags_kind},
    {"sketch", signatures_file, signatures_kind},
    {"pairs", neighbours_file, index::neighbours_kind},
    {"pairs", pairs_file, index::neighbours_kind, true},
    {"cluster", clusters_file, index::clusters_kind},
    {documents_stage, documents_file, documents_kind},
    {documents_stage, names_file, names_kind},
    {documents_stage, shingles_file, shingles_kind},
    {documents_stage, sketches_file, index::sketches_kind, true},
    {documents_stage, common_file, common_kind, true},
    {documents_stage, inlinks_file, inlinks_kind, true},
    {against_stage, against_file, against_kind},
    {matches_stage, matches_file, matches_kind},
    {matches_stage, fingerprints_file, pairs::fingerprint_groups_kind, true},
    {groups_stage, groups_file, groups_kind},
    {shard_stage, shard_file, bags::shard_kind, true},
    {shard_stage, signature_shard_file, signature_shard_kind, true},
};

std::string path_of(const std::string& folder, std::string_view name) {
  return fmt::format("{}/{}", folder, name);
}

std::string hex(uint64_t checksum) {
  return fmt::format("{:016x}", checksum);
}

std::string plan_checksum(const Report& report) {
  return hex(hash64(plan_text(report)));
}

// Whether nothing else was expected under this name.
bool is_expected(const Checksums& expected, std::string_view name, const std::string& checksum) {
  const auto found = expected.find(name);
  return found == expected.end() || found->second == checksum;
}

Status verify_file(storage::FileSystem& fs, const std::string& path, const StageFile& file,
                   const Checksums& expected) {
  KITH_ASSIGN(const auto content, storage::SectionFile::open(fs, path, file.kind));
  KITH_TRY(content.verify());
  if (is_expected(expected, file.name, hex(content.checksum()))) return Status::ok();
  return content.corrupt("is not the file that this run has made");
}

}  // namespace

Result<Checksums> checksums_of(storage::FileSystem& fs, const std::string& folder,
                               std::string_view stage, const Report& report) {
  Checksums checksums;
  if (stage == plan_stage) checksums.emplace(report_file, plan_checksum(report));
  for (const StageFile& file : stage_files) {
    if (file.stage != stage) continue;
    if (file.optional && !fs.exists(path_of(folder, file.name))) continue;
    KITH_ASSIGN(const auto content,
                storage::SectionFile::open(fs, path_of(folder, file.name), file.kind));
    checksums.emplace(file.name, hex(content.checksum()));
  }
  return checksums;
}

Status verify_files(storage::FileSystem& fs, const std::string& folder, std::string_view stage,
                    const Report& report, const Checksums& expected) {
  if (stage == plan_stage && !is_expected(expected, report_file, plan_checksum(report))) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: floor and engine do not match their checksum{}",
                             path_of(folder, report_file), storage::repair_advice)};
  }
  for (const StageFile& file : stage_files) {
    if (file.stage != stage || (file.optional && !expected.contains(file.name))) continue;
    KITH_TRY(verify_file(fs, path_of(folder, file.name), file, expected));
  }
  return Status::ok();
}

Status remove_files(storage::FileSystem& fs, const std::string& folder, std::string_view stage) {
  for (const StageFile& file : stage_files) {
    if (file.stage == stage) KITH_TRY(fs.remove(path_of(folder, file.name)));
  }
  return Status::ok();
}

Status remove_all_files(storage::FileSystem& fs, const std::string& folder) {
  for (const StageFile& file : stage_files) KITH_TRY(fs.remove(path_of(folder, file.name)));
  return Status::ok();
}

Status remove_temporaries(storage::FileSystem& fs, const std::string& folder) {
  for (const StageFile& file : stage_files) {
    KITH_TRY(fs.remove(storage::temporary_name(path_of(folder, file.name))));
  }
  return Status::ok();
}

}  // namespace kith::pipeline
