#include "run/stage_files.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "crawl/read/byte_source.h"
#include "run/json.h"

namespace kith::run {

Result<std::string> read_whole_file(const std::string& path) {
  KITH_ASSIGN(const auto source, crawl::FileSource::open(path));
  constexpr size_t piece = 1u << 16;
  constexpr size_t max_piece = 1u << 28;
  std::string bytes;
  for (;;) {
    const size_t before = bytes.size();
    bytes.resize(before + std::clamp<size_t>(before, piece, max_piece));
    KITH_ASSIGN(const size_t n, source->read(std::span(bytes).subspan(before)));
    bytes.resize(before + n);
    if (n == 0) return bytes;
  }
}

std::string name_of_input(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

namespace {

constexpr std::string_view plan_stage = "plan";

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

Result<Checksums> checksums_of(storage::FileSystem& fs, const std::string& folder, StageFiles files,
                               std::string_view stage, const Report& report) {
  Checksums checksums;
  if (stage == plan_stage) checksums.emplace(report_file, plan_checksum(report));
  for (const StageFile& file : files) {
    if (file.stage != stage) continue;
    if (file.optional && !fs.exists(path_of(folder, file.name))) continue;
    KITH_ASSIGN(const auto content,
                storage::SectionFile::open(fs, path_of(folder, file.name), file.kind));
    checksums.emplace(file.name, hex(content.checksum()));
  }
  return checksums;
}

Status verify_files(storage::FileSystem& fs, const std::string& folder, StageFiles files,
                    std::string_view stage, const Report& report, const Checksums& expected) {
  if (stage == plan_stage && !is_expected(expected, report_file, plan_checksum(report))) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: threshold and engine do not match their checksum{}",
                             path_of(folder, report_file), storage::repair_advice)};
  }
  for (const StageFile& file : files) {
    if (file.stage != stage || (file.optional && !expected.contains(file.name))) continue;
    KITH_TRY(verify_file(fs, path_of(folder, file.name), file, expected));
  }
  return Status::ok();
}

Status remove_files(storage::FileSystem& fs, const std::string& folder, StageFiles files,
                    std::string_view stage) {
  for (const StageFile& file : files) {
    if (file.stage == stage) KITH_TRY(fs.remove(path_of(folder, file.name)));
  }
  return Status::ok();
}

Status remove_all_files(storage::FileSystem& fs, const std::string& folder, StageFiles files) {
  for (const StageFile& file : files) KITH_TRY(fs.remove(path_of(folder, file.name)));
  return Status::ok();
}

Status remove_temporaries(storage::FileSystem& fs, const std::string& folder, StageFiles files) {
  for (const StageFile& file : files) {
    KITH_TRY(fs.remove(storage::temporary_name(path_of(folder, file.name))));
  }
  return Status::ok();
}

}  // namespace kith::run
