#include "pipeline/dedup_directory.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "pipeline/dedup_json.h"
#include "pipeline/dedup_lists.h"
#include "pipeline/input_identity.h"
#include "pipeline/json.h"
#include "storage/section_file.h"

namespace kith::pipeline {
namespace {

namespace fs_path = std::filesystem;
using nlohmann::json;

constexpr const char* job_name = "dedup";
const Report no_report;  // what stages of other jobs have their checksums in

std::string identity_text(const DedupOptions& options) {
  json identity;
  identity["options"] = identity_of(options);
  identity["inputs"] = json::array();
  for (const std::string& input : options.inputs) {
    identity["inputs"].push_back(crawl_identity(input));
  }
  return identity.dump(2, ' ', false, json::error_handler_t::replace);
}

Error is_damaged(std::string_view file, std::string_view folder) {
  return {ErrorKind::corrupt,
          fmt::format("{}: is damaged; remove the folder {} and run the same command again", file,
                      folder)};
}

// Whether nothing is in a folder but what a run leaves that was killed before it had a manifest.
bool is_unused(const std::string& folder) {
  const std::string begun = storage::temporary_name(std::string(manifest_file));
  std::error_code code;
  for (fs_path::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().filename() != begun) return false;
  }
  return !code;
}

// The first thing in which two identities differ, for the message.
std::string difference(const json& earlier, const json& now) {
  if (earlier.value("inputs", json()) != now["inputs"]) return "other or changed inputs";
  const json options = earlier.value("options", json::object());
  for (const auto& [key, value] : now["options"].items()) {
    const json before = options.is_object() ? options.value(key, json()) : json();
    if (before != value)
      return fmt::format("{} {} instead of {}", key, before.dump(), value.dump());
  }
  return "other options";
}

}  // namespace

Result<DedupDirectory> DedupDirectory::create(storage::FileSystem& fs,
                                              const DedupOptions& options) {
  DedupDirectory run(fs, options.output);
  const std::string identity = identity_text(options);
  if (fs.exists(run.file(manifest_file))) {
    KITH_TRY(run.read_manifest());
    KITH_TRY(run.accept_earlier_run(identity));
    for (StageReport& stage : run.report_.stages) stage.damage.clear();
  } else {
    if (fs.exists(run.path_) && !is_unused(run.path_)) {
      return Error{
          ErrorKind::usage,
          fmt::format("{}: is not empty and holds no run of kith; name a new folder", run.path_)};
    }
    run.made_folder_ = !fs.exists(run.path_);
    KITH_TRY(fs.make_directories(run.path_));
    run.identity_ = identity;
    if (const Status status = run.write_manifest(); !status) {
      run.abandon();
      return status.error();
    }
  }
  KITH_TRY(run.remove_temporary_files());
  KITH_TRY(fs.make_directories(run.scratch()));
  run.report_.options = options;
  run.report_.version = version();
  return run;
}

// What a run that was killed may have left beside what it finished.
Status DedupDirectory::remove_temporary_files() {
  KITH_TRY(remove_temporaries(*fs_, path_));
  for (const std::string_view name : {report_file, manifest_file}) {
    KITH_TRY(fs_->remove(storage::temporary_name(file(name))));
  }
  KITH_TRY(remove_list_temporaries(*fs_, path_));
  return fs_->remove_tree(scratch());
}

Status DedupDirectory::accept_earlier_run(const std::string& identity) {
  const json earlier = json::parse(identity_);
  const json now = json::parse(identity);
  if (earlier != now) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: holds a run with {}; name another folder, or remove this one",
                             path_, difference(earlier, now))};
  }
  const json& inputs = now["inputs"];
  const bool from_pipe = std::ranges::any_of(
      inputs, [](const json& input) { return input.get<std::string>().starts_with("-:"); });
  if (from_pipe && !stages_.empty()) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: holds a run made from standard input, which cannot be compared; "
                             "name another folder, or remove this one",
                             path_)};
  }
  return Status::ok();
}

Result<DedupDirectory> DedupDirectory::open(storage::FileSystem& fs, const std::string& path) {
  DedupDirectory run(fs, path);
  if (!fs.exists(run.file(manifest_file))) {
    return Error{ErrorKind::not_found,
                 fmt::format("{}: is no run directory of kith (it has no {}); make one with "
                             "'kith dedup INPUT... -o {}'",
                             path, manifest_file, path)};
  }
  KITH_TRY(run.read_manifest());
  if (!run.has(groups_stage)) {
    return Error{ErrorKind::not_found,
                 fmt::format("{}: the run is not finished; run the same 'kith dedup' command again "
                             "to go on with it",
                             path)};
  }
  return run;
}

bool DedupDirectory::is_run(storage::FileSystem& fs, const std::string& path) {
  DedupDirectory run(fs, path);
  return fs.exists(run.file(manifest_file)) && run.read_manifest().is_ok();
}

Status DedupDirectory::verify(const std::string& stage) const {
  const auto known = checksums_.find(stage);
  return verify_files(*fs_, path_, stage, no_report,
                      known == checksums_.end() ? Checksums() : known->second);
}

Status DedupDirectory::verify() const {
  for (const std::string& stage : stages_) KITH_TRY(verify(stage));
  return Status::ok();
}

Status DedupDirectory::read_manifest() {
  const std::string path = file(manifest_file);
  const Error damaged = is_damaged(path, path_);
  KITH_ASSIGN(const std::string text, storage::read_file(*fs_, path));
  const json manifest = parse_json(text);
  if (!manifest.is_object() || !manifest.contains("identity") || !manifest.contains("stages") ||
      !manifest["stages"].is_array() || !manifest["identity"].is_object()) {
    return damaged;
  }
  if (manifest.value("job", json()) != json(job_name)) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: holds no run of 'kith dedup'; name another folder", path_)};
  }
  if (manifest.value("format", json()) != json(manifest_format)) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: was written by another version of kith ({}); make a new run",
                             path, manifest.value("kith", json()).dump())};
  }
  identity_ = manifest["identity"].dump(2);
  for (const json& stage : manifest["stages"]) {
    if (!stage.is_string()) return damaged;
    stages_.push_back(stage.get<std::string>());
  }
  const json by_stage = manifest.value("checksums", json::object());
  if (!by_stage.is_object()) return damaged;
  for (const auto& [stage, files] : by_stage.items()) {
    if (!files.is_object()) return damaged;
    for (const auto& [name, checksum] : files.items()) {
      if (!checksum.is_string()) return damaged;
      checksums_[stage][name] = checksum.get<std::string>();
    }
  }
  if (stages_.empty()) return Status::ok();
  KITH_ASSIGN(const std::string report, storage::read_file(*fs_, file(report_file)));
  auto parsed = dedup_report_from_json(report);
  if (!parsed || !validate(parsed->options)) return is_damaged(file(report_file), path_);
  report_ = std::move(*parsed);
  for (StageReport& stage : report_.stages) stage.reused = true;
  return Status::ok();
}

Status DedupDirectory::write_manifest() {
  json manifest;
  manifest["kith"] = version();
  manifest["format"] = manifest_format;
  manifest["job"] = job_name;
  manifest["identity"] = json::parse(identity_);
  manifest["stages"] = stages_;
  manifest["checksums"] = checksums_;
  return storage::write_file(*fs_, file(manifest_file), manifest.dump(2) + "\n");
}

bool DedupDirectory::has(std::string_view stage) const {
  return std::ranges::find(stages_, stage) != stages_.end() && !damage_.contains(stage);
}

void DedupDirectory::find_damage(
    const std::function<void(const std::string& stage, const std::string& damage)>& found) {
  for (const std::string& stage : stages_) {
    const Status status = verify(stage);
    if (status) continue;
    std::string damage = status.error().message;
    if (damage.ends_with(storage::repair_advice)) {
      damage.resize(damage.size() - storage::repair_advice.size());
    }
    found(stage, damage);
    damage_.emplace(stage, std::move(damage));
  }
}

Status DedupDirectory::forget_after(std::string_view stage) {
  const auto first = std::ranges::find(stages_, stage) + 1;
  for (auto behind = first; behind != stages_.end(); ++behind) {
    KITH_TRY(remove_files(*fs_, path_, *behind));
    checksums_.erase(*behind);
    damage_.erase(*behind);
    std::erase_if(report_.stages, [&](const StageReport& done) { return done.stage == *behind; });
  }
  stages_.erase(first, stages_.end());
  return Status::ok();
}

Status DedupDirectory::commit(StageReport stage) {
  const std::string name = stage.stage;
  KITH_ASSIGN(Checksums made, checksums_of(*fs_, path_, name, no_report));
  if (const auto damage = damage_.find(name); damage != damage_.end()) {
    stage.damage = damage->second;
    damage_.erase(damage);
  }
  // A run that was killed between report and manifest has the stage in the report already.
  const auto entered = std::ranges::find(report_.stages, name, &StageReport::stage);
  if (entered == report_.stages.end()) {
    report_.stages.push_back(std::move(stage));
  } else {
    *entered = std::move(stage);
  }
  if (!has(name)) {
    stages_.push_back(name);
  } else if (made != checksums_[name]) {
    KITH_TRY(forget_after(name));
  }
  checksums_[name] = std::move(made);
  // The report first: a manifest never names a stage whose counts are not there.
  KITH_TRY(storage::write_file(*fs_, file(report_file), to_json(report_) + "\n"));
  return write_manifest();
}

Status DedupDirectory::finish() {
  KITH_TRY(storage::write_file(*fs_, file(report_file), to_json(report_) + "\n"));
  return fs_->remove_tree(scratch());
}

void DedupDirectory::abandon() {
  // The error that led here is what the user needs to see; a failure to clean up is not.
  static_cast<void>(fs_->remove_tree(scratch()));
  if (!stages_.empty()) return;
  static_cast<void>(remove_files(*fs_, path_, documents_stage));
  static_cast<void>(fs_->remove(file(report_file)));
  // The manifest last: a folder with files but without it is nobody's.
  static_cast<void>(fs_->remove(file(manifest_file)));
  if (made_folder_) static_cast<void>(fs_->remove_tree(path_));
}

}  // namespace kith::pipeline
