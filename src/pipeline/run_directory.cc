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
#include "pipeline/manifest.h"
#include "pipeline/run_folder.h"
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

}  // namespace

Result<RunDirectory> RunDirectory::create(storage::FileSystem& fs, const ClusterOptions& options) {
  RunDirectory run(fs, options.output);
  const std::string identity = identity_text(fs, options);
  KITH_ASSIGN(RunFolder folder, enter_run_folder(fs, run.path_));
  run.lock_ = std::move(folder.lock);
  if (folder.holds_run) {
    KITH_TRY(run.read());
    KITH_TRY(accept_identity(run.path_, run.manifest_, identity));
    for (StageReport& stage : run.report_.stages) {
      stage.reused = true;
      stage.damage.clear();
    }
  } else {
    run.made_folder_ = folder.is_new;
    run.manifest_.identity = identity;
    if (const Status status = run.write(); !status) {
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
  KITH_TRY(run.read());
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
  KITH_TRY(run.read());
  if (run.has(shard_stage)) return run;
  if (run.manifest_.stages.empty()) return run.is_unfinished();
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

Status RunDirectory::read() {
  KITH_ASSIGN(manifest_, read_manifest(*fs_, path_, cluster_job));
  holds_stages_ = !manifest_.stages.empty();
  if (!holds_stages_) return Status::ok();
  KITH_ASSIGN(const std::string report, storage::read_file(*fs_, file(report_file)));
  auto parsed = report_from_json(report);
  const bool planned = has("plan") || has("cluster");
  if (!parsed || !validate(parsed->options) || (planned && !is_plan(*parsed)) ||
      has(shard_stage) != (parsed->options.shards > 0)) {
    return is_damaged(file(report_file), path_);
  }
  report_ = std::move(*parsed);
  return Status::ok();
}

Status RunDirectory::write() {
  KITH_TRY(write_manifest(*fs_, path_, cluster_job, manifest_));
  holds_stages_ = !manifest_.stages.empty();
  return Status::ok();
}

bool RunDirectory::has(std::string_view stage) const {
  return std::ranges::find(manifest_.stages, stage) != manifest_.stages.end() &&
         !damage_.contains(stage);
}

Checksums RunDirectory::checksums(std::string_view stage) const {
  const auto found = manifest_.checksums.find(stage);
  return found == manifest_.checksums.end() ? Checksums() : found->second;
}

Status RunDirectory::verify(std::string_view stage) const {
  return verify_files(*fs_, path_, stage, report_, checksums(stage));
}

void RunDirectory::find_damage(const DamageCallback& found) {
  for (const std::string& stage : manifest_.stages) {
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
  const auto first = std::ranges::find(manifest_.stages, stage) + 1;
  for (auto behind = first; behind != manifest_.stages.end(); ++behind) {
    KITH_TRY(remove_files(*fs_, path_, *behind));
    manifest_.checksums.erase(*behind);
    damage_.erase(*behind);
    std::erase_if(report_.stages, [&](const StageReport& done) { return done.stage == *behind; });
  }
  manifest_.stages.erase(first, manifest_.stages.end());
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
    manifest_.stages.push_back(name);
  } else if (made != checksums(name)) {
    KITH_TRY(forget_after(name));
  }
  if (!made.empty()) manifest_.checksums[name] = std::move(made);
  // The report first: a manifest never names a stage whose counts are not there.
  KITH_TRY(storage::write_file(*fs_, file(report_file), to_json(report_) + "\n"));
  return write();
}

Status RunDirectory::finish() {
  KITH_TRY(storage::write_file(*fs_, file(report_file), to_json(report_) + "\n"));
  KITH_TRY(fs_->remove_tree(scratch()));
  lock_.reset();
  return Status::ok();
}

void RunDirectory::abandon() {
  // The error that led here is what the user needs to see; a failure to clean up is not.
  static_cast<void>(fs_->remove_tree(scratch()));
  if (holds_stages_) return;
  static_cast<void>(remove_files(*fs_, path_, "bags"));
  static_cast<void>(remove_files(*fs_, path_, shard_stage));
  static_cast<void>(fs_->remove(file(report_file)));
  // The manifest last: a folder with files but without it is nobody's.
  static_cast<void>(fs_->remove(file(manifest_file)));
  if (made_folder_) static_cast<void>(fs_->remove_tree(path_));
}

}  // namespace kith::pipeline
