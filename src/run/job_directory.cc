#include "run/job_directory.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "kith/rows.h"

#include "base/machine.h"
#include "run/json.h"
#include "storage/section_file.h"

namespace kith::run {
namespace {

// Without the advice: what is to be done about it will be done.
std::string damage_of(const Error& error) {
  std::string damage = error.message;
  if (damage.ends_with(storage::repair_advice)) {
    damage.resize(damage.size() - storage::repair_advice.size());
  }
  return damage;
}

}  // namespace

// Whether nothing is in the folder but what a run leaves that was killed before it had a manifest.
bool JobDirectory::is_unused() const {
  const std::string begun = storage::temporary_name(std::string(manifest_file));
  const auto names = fs_->list(path_);
  return names && std::ranges::all_of(*names, [&](const auto& name) { return name == begun; });
}

bool JobDirectory::has_manifest() const {
  return fs_->exists(file(manifest_file));
}

Error JobDirectory::is_missing(std::string_view what, std::string_view command) const {
  if (path_.empty()) {
    return {ErrorKind::usage, fmt::format("the name of the {} is empty: give a folder", what)};
  }
  return {ErrorKind::not_found, fmt::format("{}: is no {} (it has no {}); make one with '{} -o {}'",
                                            path_, what, manifest_file, command, path_)};
}

Error JobDirectory::is_unfinished(std::string_view job) const {
  return {ErrorKind::not_found,
          fmt::format("{}: the run is not finished; run the same 'kith {}' command again to go on "
                      "with it",
                      path_, job)};
}

Status JobDirectory::read(std::string_view what, std::string_view command) {
  if (!has_manifest()) return is_missing(what, command);
  KITH_TRY(read_manifest_file());
  return read_report_file();
}

Status JobDirectory::read_manifest_file() {
  KITH_ASSIGN(manifest_, read_manifest(*fs_, path_, job_));
  holds_stages_ = !manifest_.stages.empty();
  return Status::ok();
}

Status JobDirectory::read_report_file() {
  if (!holds_stages_) return Status::ok();
  const auto text = storage::read_file(*fs_, file(report_file));
  if (text && matches_checksum(*text) && read_report(*text)) return Status::ok();
  if (!text && text.error().kind != ErrorKind::not_found) return text.error();
  return Error{ErrorKind::corrupt, fmt::format("{}: is {}; run the kith command that made it again",
                                               file(report_file), text ? "damaged" : "missing")};
}

Status JobDirectory::enter(const std::string& identity) {
  made_folder_ = !fs_->exists(path_);
  if (!made_folder_ && !has_manifest() && !is_unused()) {
    return Error{ErrorKind::usage, fmt::format("{}: is not empty and holds no run of kith; name a "
                                               "new folder",
                                               path_)};
  }
  if (made_folder_) KITH_TRY(fs_->make_directories(path_));
  KITH_ASSIGN(lock_, fs_->lock(path_));
  // Only now: another process may have made a run before it let the folder go.
  if (has_manifest()) {
    KITH_TRY(read_manifest_file());
    KITH_TRY(accept_identity(path_, manifest_, identity));
    // What it says of finished stages is made again with them.
    if (Status report = read_report_file(); !report) {
      if (report.error().kind == ErrorKind::io) return report;
      for (const std::string& stage : manifest_.stages) {
        damage_.emplace(stage, file(report_file) + ": is damaged");
      }
    }
    for (StageReport& stage : job_report().stages) {
      stage.reused = true;
      stage.damage.clear();
    }
  } else {
    KITH_TRY(begin(identity));
  }
  KITH_TRY(remove_temporary_files());
  return fs_->make_directories(scratch());
}

Status JobDirectory::clear_scratch() {
  KITH_TRY(fs_->remove_tree(scratch()));
  return fs_->make_directories(scratch());
}

Status JobDirectory::begin(const std::string& identity) {
  manifest_.identity = identity;
  Status status = write_manifest();
  if (!status) abandon();
  return status;
}

// A run may be made by several processes; what counts is the one that took the most.
Status JobDirectory::write_report() {
  uint64_t& most = job_report().peak_memory;
  most = std::max(most, peak_memory());
  return storage::write_file(*fs_, file(report_file), with_checksum(report_json()) + "\n");
}

Status JobDirectory::write_manifest() {
  KITH_TRY(run::write_manifest(*fs_, path_, job_, manifest_));
  holds_stages_ = !manifest_.stages.empty();
  return Status::ok();
}

const Report& JobDirectory::plan() const {
  static const Report none;
  return none;
}

// What a run that was killed, or has failed, may have left beside what it finished.
Status JobDirectory::remove_temporary_files() {
  KITH_TRY(remove_temporaries(*fs_, path_, stage_files()));
  for (const std::string_view name : {report_file, manifest_file}) {
    KITH_TRY(fs_->remove(storage::temporary_name(file(name))));
  }
  KITH_TRY(remove_other_temporaries());
  return fs_->remove_tree(scratch());
}

Checksums JobDirectory::checksums(std::string_view stage) const {
  const auto found = manifest_.checksums.find(stage);
  return found == manifest_.checksums.end() ? Checksums() : found->second;
}

bool JobDirectory::has(std::string_view stage) const {
  return std::ranges::find(manifest_.stages, stage) != manifest_.stages.end() &&
         !damage_.contains(stage);
}

Status JobDirectory::verify(std::string_view stage) const {
  return verify_files(*fs_, path_, stage_files(), stage, plan(), checksums(stage));
}

void JobDirectory::find_damage(const ProgressCallback& progress) {
  const auto note = [&](const std::string& text) {
    if (progress) progress({"verify", 0, 0, "", text});
  };
  if (lock_ == nullptr) {
    note(fmt::format(
        "{}: its file system has no locks: run no other kith command that writes there", path_));
  }
  if (progress && !stages().empty()) progress({"verify", 0, 0, ""});
  for (const std::string& stage : stages()) {
    if (!damage_.contains(stage)) {
      const Status status = verify(stage);
      if (status) continue;
      damage_.emplace(stage, damage_of(status.error()));
    }
    note(fmt::format("{}; the {} stage is run again", damage_.find(stage)->second, stage));
  }
}

// Forgets the stages that read what `stage` has left.
Status JobDirectory::forget_after(std::string_view stage) {
  const auto first = std::ranges::find(manifest_.stages, stage) + 1;
  for (auto behind = first; behind != manifest_.stages.end(); ++behind) {
    KITH_TRY(remove_files(*fs_, path_, stage_files(), *behind));
    manifest_.checksums.erase(*behind);
    damage_.erase(*behind);
    std::erase_if(job_report().stages,
                  [&](const StageReport& done) { return done.stage == *behind; });
  }
  manifest_.stages.erase(first, manifest_.stages.end());
  return Status::ok();
}

// A run that was killed between report and manifest has a stage in the report already.
void JobDirectory::enter_report(StageReport stage) {
  std::vector<StageReport>& reports = job_report().stages;
  const auto entered = std::ranges::find(reports, stage.stage, &StageReport::stage);
  if (entered == reports.end()) {
    reports.push_back(std::move(stage));
  } else {
    *entered = std::move(stage);
  }
}

Status JobDirectory::run_stage(std::string_view name, const ProgressCallback& progress,
                               const std::function<Status()>& work) {
  if (!has(name)) {
    if (progress) progress({name, 0, 0, ""});
    const auto start = std::chrono::steady_clock::now();
    given_->clear();
    KITH_TRY(work());
    give_back_free_memory();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    StageReport stage{std::string(name), time.count(), peak_memory(), false};
    for (const auto& [share, bytes] : given_->entries()) {
      stage.memory.push_back({std::string(row_of(share).name), bytes});
    }
    KITH_TRY(commit(std::move(stage)));
  }
  if (progress) progress({name, 0, 0, "", "", name});
  return Status::ok();
}

Status JobDirectory::commit(StageReport stage) {
  const std::string name = stage.stage;
  KITH_ASSIGN(Checksums made, checksums_of(*fs_, path_, stage_files(), name, plan()));
  if (const auto damage = damage_.find(name); damage != damage_.end()) {
    stage.damage = damage->second;
    damage_.erase(damage);
  }
  enter_report(std::move(stage));
  if (!has(name)) {
    manifest_.stages.push_back(name);
  } else if (made != checksums(name)) {
    KITH_TRY(forget_after(name));
  }
  if (!made.empty()) manifest_.checksums[name] = std::move(made);
  // The report first: a manifest never names a stage whose counts are not there.
  KITH_TRY(write_report());
  return write_manifest();
}

Status JobDirectory::forget_lists() {
  if (manifest_.lists.empty()) return Status::ok();
  manifest_.lists.clear();
  return write_manifest();
}

const CopyRecord* JobDirectory::copy_at(const std::string& place) const {
  const auto found = manifest_.copies.find(tsv_field(place));
  return found == manifest_.copies.end() ? nullptr : &found->second;
}

Status JobDirectory::enter_copy(const std::string& place, CopyRecord copy) {
  manifest_.copies.insert_or_assign(tsv_field(place), std::move(copy));
  return write_manifest();
}

Status JobDirectory::finish(Checksums lists) {
  KITH_TRY(write_report());
  if (lists != manifest_.lists) {
    manifest_.lists = std::move(lists);
    KITH_TRY(write_manifest());
  }
  KITH_TRY(fs_->remove_tree(scratch()));
  lock_.reset();
  return Status::ok();
}

void JobDirectory::abandon() {
  // The error that led here is what the user needs to see; a failure to clean up is not.
  static_cast<void>(remove_temporary_files());
  if (holds_stages_) return;
  static_cast<void>(remove_all_files(*fs_, path_, stage_files()));
  static_cast<void>(fs_->remove(file(report_file)));
  // The manifest last: a folder with files but without it is nobody's.
  static_cast<void>(fs_->remove(file(manifest_file)));
  // What somebody else has put there meanwhile stays, and the folder with it.
  if (made_folder_) static_cast<void>(fs_->remove_folder(path_));
}

}  // namespace kith::run
