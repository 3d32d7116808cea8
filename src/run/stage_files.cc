#include "run/stage_files.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/rows.h"
#include "kith/version.h"

#include "base/hash.h"
#include "crawl/read/byte_source.h"
#include "run/input_identity.h"
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

namespace {

using nlohmann::json;

std::string file_of(const std::string& folder) {
  return folder + "/" + std::string(manifest_file);
}

// Of the files of a stage, by their names; nothing when this is something else.
std::optional<Checksums> read_checksums(const json& files) {
  if (!files.is_object()) return std::nullopt;
  Checksums checksums;
  for (const auto& [name, checksum] : files.items()) {
    if (!checksum.is_string()) return std::nullopt;
    checksums.emplace(name, checksum.get<std::string>());
  }
  return checksums;
}

json json_of(const CopyRecord& copy) {
  json files = json::object();
  for (const crawl::CopiedFile& file : copy.files) {
    files[file.name] = {{"bytes", file.bytes}, {"checksum", file.checksum}};
  }
  return {{"folder", copy.is_folder}, {"files", files}, {"counts", copy.counts}};
}

// Nothing when this is something else.
std::optional<CopyRecord> read_copy(const json& value) {
  static const json shape{{"folder", true}, {"files", json::object()}, {"counts", json::object()}};
  static const json file_shape{{"bytes", uint64_t{0}}, {"checksum", ""}};
  const auto has_all = [](const json& of, const json& wanted) {
    return of.is_object() && of.size() == wanted.size() && fits(of, wanted);
  };
  if (!has_all(value, shape)) return std::nullopt;
  CopyRecord copy{.is_folder = value["folder"].get<bool>(), .files = {}, .counts = {}};
  for (const auto& [name, file] : value["files"].items()) {
    if (!has_all(file, file_shape)) return std::nullopt;
    copy.files.push_back(
        {name, file["bytes"].get<uint64_t>(), file["checksum"].get<std::string>()});
  }
  std::ranges::sort(copy.files, {}, &crawl::CopiedFile::name);
  for (const auto& [name, count] : value["counts"].items()) {
    if (!count.is_number_unsigned()) return std::nullopt;
    copy.counts.emplace(name, count.get<uint64_t>());
  }
  return copy;
}

// The first thing in which two identities differ, for the message. That a run is by the paper
// explains what else is different.
std::string difference(const json& earlier, const json& now) {
  const json options = earlier.value("options", json::object());
  if (!options.is_object()) return "no options";
  std::vector<std::string> keys{"engine"};
  for (const auto& [key, value] : now["options"].items()) keys.push_back(key);
  for (const std::string& key : keys) {
    if (options.value(key, json()) != now["options"].value(key, json())) {
      return option_difference(options, now["options"], key);
    }
  }
  const json inputs = earlier.value("inputs", json());
  if (inputs != now["inputs"]) return input_difference(inputs, now["inputs"]);
  return "other options";
}

}  // namespace

Result<Manifest> read_manifest(storage::FileSystem& fs, const std::string& folder,
                               std::string_view job) {
  const std::string path = file_of(folder);
  const Error damaged = is_damaged(path, folder);
  KITH_ASSIGN(const std::string text, storage::read_file(fs, path));
  const json manifest = parse_json(text);
  if (!manifest.is_object() || !manifest.contains("identity") || !manifest.contains("stages") ||
      !manifest["stages"].is_array() || !manifest["identity"].is_object()) {
    return damaged;
  }
  if (manifest.value("format", json()) != manifest_format) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: is of format {}, written by kith {}; this kith reads format {}: "
                             "make a new run",
                             path, manifest.value("format", json()).dump(),
                             manifest.value("kith", json()).dump(), manifest_format)};
  }
  const json made_by = manifest.value("job", json(cluster_job));
  if (made_by != json(job)) {
    return Error{
        ErrorKind::usage,
        fmt::format("{}: holds no run of 'kith {}' but one of 'kith {}'; name another folder",
                    folder, job,
                    made_by.is_string() ? made_by.get<std::string>() : made_by.dump())};
  }
  Manifest read;
  read.identity = manifest["identity"].dump(2);
  for (const json& stage : manifest["stages"]) {
    if (!stage.is_string()) return damaged;
    read.stages.push_back(stage.get<std::string>());
  }
  const json by_stage = manifest.value("checksums", json::object());
  if (!by_stage.is_object()) return damaged;
  for (const auto& [stage, files] : by_stage.items()) {
    auto checksums = read_checksums(files);
    if (!checksums) return damaged;
    read.checksums.emplace(stage, std::move(*checksums));
  }
  auto lists = read_checksums(manifest.value("lists", json::object()));
  const json copies = manifest.value("copies", json::object());
  if (!lists || !copies.is_object()) return damaged;
  read.lists = std::move(*lists);
  for (const auto& [place, value] : copies.items()) {
    auto copy = read_copy(value);
    if (!copy) return damaged;
    read.copies.emplace(place, std::move(*copy));
  }
  return read;
}

Status verify_manifest(storage::FileSystem& fs, const std::string& folder) {
  KITH_ASSIGN(const std::string text, storage::read_file(fs, file_of(folder)));
  return matches_checksum(text) ? Status::ok() : is_damaged(file_of(folder), folder);
}

Status write_manifest(storage::FileSystem& fs, const std::string& folder, std::string_view job,
                      const Manifest& manifest) {
  json text = json::object();
  text["kith"] = version();
  text["format"] = manifest_format;
  if (job != cluster_job) text["job"] = job;
  text["identity"] = json::parse(manifest.identity);
  text["stages"] = manifest.stages;
  text["checksums"] = manifest.checksums;
  if (!manifest.lists.empty()) text["lists"] = manifest.lists;
  if (!manifest.copies.empty()) {
    json copies = json::object();
    for (const auto& [place, copy] : manifest.copies) copies[place] = json_of(copy);
    text["copies"] = std::move(copies);
  }
  return storage::write_file(fs, file_of(folder), with_checksum(text.dump(2)) + "\n");
}

Status accept_identity(const std::string& folder, const Manifest& earlier_run,
                       const std::string& identity) {
  const json earlier = json::parse(earlier_run.identity);
  const json now = json::parse(identity);
  if (earlier != now) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: holds a run with {}; name another folder, or remove this one",
                             folder, difference(earlier, now))};
  }
  if (has_pipe(now["inputs"]) && !earlier_run.stages.empty()) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: holds a run made from a pipe, which cannot be compared; "
                             "name another folder, or remove this one",
                             folder)};
  }
  return Status::ok();
}

Error is_damaged(std::string_view file, std::string_view folder) {
  return {ErrorKind::corrupt,
          fmt::format("{}: is damaged; remove the folder {} and run the same command again", file,
                      folder)};
}

}  // namespace kith::run
