#include "pipeline/run_directory.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "base/hash.h"
#include "lsh/tables.h"
#include "pipeline/input_identity.h"
#include "pipeline/json.h"
#include "pipeline/similarity_plan.h"
#include "storage/section_file.h"

namespace kith::pipeline {
namespace {

namespace fs_path = std::filesystem;
using nlohmann::json;

// Of an earlier run only the bags are read. They are known by their checksums, since they may have
// been made again; in runs of before these were kept, by size and time of change.
std::string run_identity(storage::FileSystem& fs, const std::string& input) {
  const auto run = RunDirectory::open(fs, input, "bags");
  const Checksums known = run ? run->checksums("bags") : Checksums();
  std::vector<std::string> files;
  for (const std::string_view name : bag_files) {
    const auto found = known.find(name);
    files.push_back(found != known.end() ? found->second
                                         : file_identity(fs_path::path(input) / name));
  }
  return fmt::format("{}:{:016x}", input, hash64(fmt::format("{}", fmt::join(files, "\n"))));
}

// A shard is known by the checksums of what it holds, wherever it was copied to.
std::string shard_identity(storage::FileSystem& fs, const std::string& input) {
  std::string all;
  if (const auto shard = RunDirectory::open_shard(fs, input)) {
    for (const auto& [name, checksum] : shard->checksums(shard_stage)) all += checksum + "\n";
  }
  return fmt::format("{}:{:016x}", input, hash64(all));
}

json input_identity(storage::FileSystem& fs, const std::string& input) {
  std::error_code ignored;
  if (fs_path::is_directory(input, ignored)) {
    if (RunDirectory::is_run(fs, input)) return run_identity(fs, input);
    if (RunDirectory::is_shard(fs, input)) return shard_identity(fs, input);
  }
  return crawl_identity(input);
}

std::string identity_text(storage::FileSystem& fs, const ClusterOptions& options) {
  json identity;
  identity["options"] = identity_of(options);
  identity["inputs"] = json::array();
  for (const std::string& input : options.inputs) {
    identity["inputs"].push_back(input_identity(fs, input));
  }
  return identity.dump(2, ' ', false, json::error_handler_t::replace);
}

Error is_damaged(std::string_view file, std::string_view folder) {
  return {ErrorKind::corrupt,
          fmt::format("{}: is damaged; remove the folder {} and run the same command again", file,
                      folder)};
}

// Whether floor, engine and tables are such as the plan stage chooses: what comes after it takes
// them from the report.
bool is_plan(const Report& report) {
  const EngineReport& engine = report.engine;
  const bool has_tables = engine.per_key >= 1 && engine.per_key <= lsh::max_per_key &&
                          engine.tables >= 1 && engine.tables <= lsh::most_tables;
  const bool by_paper = report.options.engine == EngineChoice::paper;
  return engine.engine != EngineChoice::automatic &&
         (engine.engine == EngineChoice::paper) == by_paper &&
         (has_tables || !needs_signatures(engine.engine, report.options.order)) &&
         report.floor.similarity >= 0 && report.floor.similarity <= 1;
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

// The first thing in which two identities differ, for the message.
std::string difference(const json& earlier, const json& now) {
  if (earlier.value("inputs", json()) != now["inputs"]) return "other or changed inputs";
  const json options = earlier.value("options", json::object());
  if (!options.is_object()) return "no options";
  for (const auto& [key, value] : now["options"].items()) {
    const json before = options.value(key, json());
    if (before != value)
      return fmt::format("{} {} instead of {}", key, before.dump(), value.dump());
  }
  return "other options";
}

}  // namespace

Result<RunDirectory> RunDirectory::create(storage::FileSystem& fs, const ClusterOptions& options) {
  RunDirectory run(fs, options.output);
  const std::string identity = identity_text(fs, options);
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
Status RunDirectory::remove_temporary_files() {
  KITH_TRY(remove_temporaries(*fs_, path_));
  KITH_TRY(fs_->remove(storage::temporary_name(file(report_file))));
  KITH_TRY(fs_->remove(storage::temporary_name(file(manifest_file))));
  return fs_->remove_tree(scratch());
}

Status RunDirectory::accept_earlier_run(const std::string& identity) {
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

bool RunDirectory::is_run(storage::FileSystem& fs, const std::string& path) {
  const RunDirectory run(fs, path);
  return fs.exists(run.file(manifest_file)) && fs.exists(run.file(bags_file));
}

Result<RunDirectory> RunDirectory::open(storage::FileSystem& fs, const std::string& path,
                                        std::string_view stage) {
  RunDirectory run(fs, path);
  if (!fs.exists(run.file(manifest_file))) {
    return Error{ErrorKind::not_found,
                 fmt::format("{}: is no run directory of kith (it has no {}); make one with "
                             "'kith cluster INPUT... -o {}'",
                             path, manifest_file, path)};
  }
  KITH_TRY(run.read_manifest());
  if (run.has(shard_stage)) return run.is_no_run();
  if (!run.has(stage)) return run.is_unfinished();
  return run;
}

Result<RunDirectory> RunDirectory::open_shard(storage::FileSystem& fs, const std::string& path) {
  RunDirectory run(fs, path);
  if (!fs.exists(run.file(manifest_file))) {
    return Error{ErrorKind::not_found,
                 fmt::format("{}: is no shard (it has no {}); make one with 'kith cluster INPUT... "
                             "--shard I/N -o {}'",
                             path, manifest_file, path)};
  }
  KITH_TRY(run.read_manifest());
  if (run.has(shard_stage)) return run;
  if (run.stages_.empty()) return run.is_unfinished();
  return Error{ErrorKind::usage,
               fmt::format("{}: is a run, not a shard: it was made without --shard", path)};
}

bool RunDirectory::is_shard(storage::FileSystem& fs, const std::string& path) {
  const RunDirectory run(fs, path);
  return fs.exists(run.file(manifest_file)) &&
         (fs.exists(run.file(shard_file)) || run.holds_signatures());
}

bool RunDirectory::holds_signatures() const {
  return fs_->exists(file(signature_shard_file));
}

Error RunDirectory::is_no_run() const {
  return {ErrorKind::usage,
          fmt::format("{}: is shard {} of {}, not a run; make a run of all shards with 'kith merge "
                      "DIR... -o RUN'",
                      path_, report_.options.shard, report_.options.shards)};
}

Error RunDirectory::is_unfinished() const {
  return {ErrorKind::not_found,
          fmt::format("{}: the run is not finished; run the same 'kith cluster' command again to "
                      "go on with it",
                      path_)};
}

Status RunDirectory::read_manifest() {
  const std::string path = file(manifest_file);
  const Error damaged = is_damaged(path, path_);
  KITH_ASSIGN(const std::string text, storage::read_file(*fs_, path));
  const json manifest = parse_json(text);
  if (!manifest.is_object() || !manifest.contains("identity") || !manifest.contains("stages") ||
      !manifest["stages"].is_array() || !manifest["identity"].is_object()) {
    return damaged;
  }
  if (manifest.value("format", json()) != manifest_format) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: was written by another version of kith ({}); make a new run",
                             path, manifest.value("kith", json()).dump())};
  }
  if (manifest.value("job", json("cluster")) != json("cluster")) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: holds no run of 'kith cluster' but one of 'kith {}'", path_,
                             manifest["job"].is_string() ? manifest["job"].get<std::string>()
                                                         : manifest["job"].dump())};
  }
  identity_ = manifest["identity"].dump(2);
  for (const json& stage : manifest["stages"]) {
    if (!stage.is_string()) return damaged;
    stages_.push_back(stage.get<std::string>());
  }
  const json by_stage = manifest.value("checksums", json::object());
  if (!by_stage.is_object()) return damaged;
  for (const auto& [stage, files] : by_stage.items()) {
    auto checksums = read_checksums(files);
    if (!checksums) return damaged;
    checksums_.emplace(stage, std::move(*checksums));
  }
  if (stages_.empty()) return Status::ok();
  KITH_ASSIGN(const std::string report, storage::read_file(*fs_, file(report_file)));
  auto parsed = report_from_json(report);
  const bool planned = has("plan") || has("cluster");
  if (!parsed || !validate(parsed->options) || (planned && !is_plan(*parsed)) ||
      has(shard_stage) != (parsed->options.shards > 0)) {
    return is_damaged(file(report_file), path_);
  }
  report_ = std::move(*parsed);
  for (StageReport& stage : report_.stages) stage.reused = true;
  return Status::ok();
}

Status RunDirectory::write_manifest() {
  json manifest;
  manifest["kith"] = version();
  manifest["format"] = manifest_format;
  manifest["identity"] = json::parse(identity_);
  manifest["stages"] = stages_;
  manifest["checksums"] = checksums_;
  return storage::write_file(*fs_, file(manifest_file), manifest.dump(2) + "\n");
}

bool RunDirectory::has(std::string_view stage) const {
  return std::ranges::find(stages_, stage) != stages_.end() && !damage_.contains(stage);
}

Checksums RunDirectory::checksums(std::string_view stage) const {
  const auto found = checksums_.find(stage);
  return found == checksums_.end() ? Checksums() : found->second;
}

Status RunDirectory::verify(std::string_view stage) const {
  return verify_files(*fs_, path_, stage, report_, checksums(stage));
}

void RunDirectory::find_damage(const DamageCallback& found) {
  for (const std::string& stage : stages_) {
    const Status status = verify(stage);
    if (status) continue;
    std::string damage = status.error().message;
    // What is to be done about it will be done.
    if (damage.ends_with(storage::repair_advice)) {
      damage.resize(damage.size() - storage::repair_advice.size());
    }
    found(stage, damage);
    damage_.emplace(stage, std::move(damage));
  }
}

// Forgets the stages that read what `stage` has left.
Status RunDirectory::forget_after(std::string_view stage) {
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

// A run that was killed between report and manifest has a stage in the report already.
void RunDirectory::enter(StageReport stage) {
  const auto entered = std::ranges::find(report_.stages, stage.stage, &StageReport::stage);
  if (entered == report_.stages.end()) {
    report_.stages.push_back(std::move(stage));
  } else {
    *entered = std::move(stage);
  }
}

Status RunDirectory::commit(StageReport stage) {
  const std::string name = stage.stage;
  KITH_ASSIGN(Checksums made, checksums_of(*fs_, path_, name, report_));
  if (const auto damage = damage_.find(name); damage != damage_.end()) {
    stage.damage = damage->second;
    damage_.erase(damage);
  }
  enter(std::move(stage));
  if (!has(name)) {
    stages_.push_back(name);
  } else if (made != checksums(name)) {
    KITH_TRY(forget_after(name));
  }
  if (!made.empty()) checksums_[name] = std::move(made);
  // The report first: a manifest never names a stage whose counts are not there.
  KITH_TRY(storage::write_file(*fs_, file(report_file), to_json(report_) + "\n"));
  return write_manifest();
}

Status RunDirectory::finish() {
  KITH_TRY(storage::write_file(*fs_, file(report_file), to_json(report_) + "\n"));
  return fs_->remove_tree(scratch());
}

void RunDirectory::abandon() {
  // The error that led here is what the user needs to see; a failure to clean up is not.
  static_cast<void>(fs_->remove_tree(scratch()));
  if (!stages_.empty()) return;
  static_cast<void>(remove_files(*fs_, path_, "bags"));
  static_cast<void>(remove_files(*fs_, path_, shard_stage));
  static_cast<void>(fs_->remove(file(report_file)));
  // The manifest last: a folder with files but without it is nobody's.
  static_cast<void>(fs_->remove(file(manifest_file)));
  if (made_folder_) static_cast<void>(fs_->remove_tree(path_));
}

}  // namespace kith::pipeline
