#include "pipeline/dedup_directory.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "pipeline/dedup_json.h"
#include "pipeline/dedup_lists.h"
#include "pipeline/input_identity.h"
#include "pipeline/json.h"
#include "pipeline/run_folder.h"
#include "storage/section_file.h"

namespace kith::pipeline {
namespace {

using nlohmann::json;

const Report no_report;  // what stages of other jobs have their checksums in

std::string identity_text(const DedupOptions& options, const std::vector<std::string>& against) {
  json identity;
  identity["options"] = identity_of(options);
  identity["options"]["against"] = against;
  identity["inputs"] = json::array();
  for (const std::string& input : options.inputs) {
    identity["inputs"].push_back(crawl_identity(input));
  }
  return identity.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Result<DedupDirectory> DedupDirectory::create(storage::FileSystem& fs, const DedupOptions& options,
                                              const std::vector<std::string>& against) {
  DedupDirectory run(fs, options.output);
  const std::string identity = identity_text(options, against);
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

// What a run that was killed, or has failed, may have left beside what it finished.
Status DedupDirectory::remove_temporary_files() {
  KITH_TRY(remove_temporaries(*fs_, path_));
  for (const std::string_view name : {report_file, manifest_file}) {
    KITH_TRY(fs_->remove(storage::temporary_name(file(name))));
  }
  KITH_TRY(remove_list_temporaries(*fs_, path_));
  return fs_->remove_tree(scratch());
}

Result<DedupDirectory> DedupDirectory::open(storage::FileSystem& fs, const std::string& path) {
  DedupDirectory run(fs, path);
  if (!fs.exists(run.file(manifest_file))) {
    return Error{ErrorKind::not_found,
                 fmt::format("{}: is no run directory of kith (it has no {}); make one with "
                             "'kith dedup INPUT... -o {}'",
                             path, manifest_file, path)};
  }
  KITH_TRY(run.read());
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
  return fs.exists(run.file(manifest_file)) && run.read().is_ok();
}

Checksums DedupDirectory::checksums(std::string_view stage) const {
  const auto known = manifest_.checksums.find(stage);
  return known == manifest_.checksums.end() ? Checksums() : known->second;
}

Status DedupDirectory::verify(std::string_view stage) const {
  return verify_files(*fs_, path_, stage, no_report, checksums(stage));
}

Status DedupDirectory::verify() const {
  for (const std::string& stage : manifest_.stages) KITH_TRY(verify(stage));
  return Status::ok();
}

Status DedupDirectory::read() {
  KITH_ASSIGN(manifest_, read_manifest(*fs_, path_, dedup_job));
  holds_stages_ = !manifest_.stages.empty();
  if (!holds_stages_) return Status::ok();
  KITH_ASSIGN(const std::string report, storage::read_file(*fs_, file(report_file)));
  auto parsed = dedup_report_from_json(report);
  if (!parsed || !validate(parsed->options)) return is_damaged(file(report_file), path_);
  report_ = std::move(*parsed);
  return Status::ok();
}

Status DedupDirectory::write() {
  KITH_TRY(write_manifest(*fs_, path_, dedup_job, manifest_));
  holds_stages_ = !manifest_.stages.empty();
  return Status::ok();
}

bool DedupDirectory::has(std::string_view stage) const {
  return std::ranges::find(manifest_.stages, stage) != manifest_.stages.end() &&
         !damage_.contains(stage);
}

void DedupDirectory::find_damage(
    const std::function<void(const std::string& stage, const std::string& damage)>& found) {
  for (const std::string& stage : manifest_.stages) {
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
    manifest_.stages.push_back(name);
  } else if (made != manifest_.checksums[name]) {
    KITH_TRY(forget_after(name));
  }
  manifest_.checksums[name] = std::move(made);
  // The report first: a manifest never names a stage whose counts are not there.
  KITH_TRY(storage::write_file(*fs_, file(report_file), to_json(report_) + "\n"));
  return write();
}

Status DedupDirectory::finish() {
  KITH_TRY(storage::write_file(*fs_, file(report_file), to_json(report_) + "\n"));
  KITH_TRY(fs_->remove_tree(scratch()));
  lock_.reset();
  return Status::ok();
}

void DedupDirectory::abandon() {
  // The error that led here is what the user needs to see; a failure to clean up is not.
  static_cast<void>(remove_temporary_files());
  if (holds_stages_) return;
  static_cast<void>(remove_files(*fs_, path_, documents_stage));
  static_cast<void>(fs_->remove(file(report_file)));
  // The manifest last: a folder with files but without it is nobody's.
  static_cast<void>(fs_->remove(file(manifest_file)));
  if (made_folder_) static_cast<void>(fs_->remove_tree(path_));
}

}  // namespace kith::pipeline
