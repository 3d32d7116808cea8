#include "jobs/stream/store.h"

#include <utility>

#include <fmt/format.h>

#include "run/guarded.h"
#include "run/stage_files.h"

namespace kith::jobs {
namespace {

Status check_options(const std::string& directory, const SnapshotHead& there,
                     const StreamOptions& asked, const std::string& dictionary) {
  std::string different = first_difference(there.options, asked);
  if (different.empty() && there.progress.dictionary != dictionary) {
    different = "another `dictionary`";
  }
  if (different.empty()) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("{} is a stream with {}; give the same options as before, or another "
                           "folder",
                           directory, different)};
}

}  // namespace

Result<Snapshot> open_snapshot(storage::FileSystem& fs, const std::string& directory) {
  const std::string path = directory + "/" + std::string(snapshot_file);
  if (fs.exists(path)) return Snapshot::open(fs, path);
  return Error{ErrorKind::not_found,
               fmt::format("{} is no stream of kith: it has no {}; 'kith stream {}' makes one",
                           directory, snapshot_file, directory)};
}

Result<StreamOptions> settle_themes(storage::FileSystem& fs, const std::string& directory,
                                    StreamOptions options) {
  const std::string path = directory + "/" + std::string(snapshot_file);
  if (options.themes || !fs.exists(path)) return options;
  KITH_ASSIGN(const Snapshot snapshot, Snapshot::open(fs, path));
  options.themes = snapshot.head().options.themes;
  return options;
}

std::string Store::log_path(uint64_t snapshot) const {
  return fmt::format("{}/stream.{}.log", directory_, snapshot);
}

Result<Store> Store::open(storage::FileSystem& fs, const std::string& directory, Engine& engine,
                          StoredProgress& progress) {
  Store store(fs, directory);
  if (fs.exists(directory + "/" + std::string(run::manifest_file))) {
    return Error{ErrorKind::usage,
                 fmt::format("{} is a run directory of kith; name another folder", directory)};
  }
  KITH_TRY(fs.make_directories(directory));
  KITH_ASSIGN(store.lock_, fs.lock(directory));
  const std::string features = directory + "/" + std::string(features_file);
  // Of a stream that was killed.
  for (const std::string& left : BlockStore::files(features)) KITH_TRY(fs.remove(left));
  engine.keep_features_in(fs, features);
  if (!fs.exists(store.snapshot_path())) {
    KITH_TRY(store.begin(engine, progress));
    return store;
  }
  KITH_ASSIGN(const Snapshot snapshot, Snapshot::open(fs, store.snapshot_path()));
  KITH_TRY(check_options(directory, snapshot.head(), engine.options(), progress.dictionary));
  KITH_TRY(snapshot.read(engine));
  progress = snapshot.head().progress;
  store.number_ = progress.snapshot;
  return store;
}

// The first log stands before the first snapshot, but is empty then.
Status Store::begin(Engine& engine, StoredProgress& progress) {
  const std::string log = log_path(progress.snapshot + 1);
  if (fs_->exists(log)) {
    const auto refuse = [&](std::string_view) -> Status {
      return Error{ErrorKind::corrupt,
                   fmt::format("{} is missing, but {} has pages; restore the folder from a backup, "
                               "or name another one",
                               snapshot_path(), log)};
    };
    KITH_TRY(find_records(*fs_, log, 0, refuse));
  }
  return snapshot(engine, progress);
}

Status Store::look_through(StreamProgress& progress, bool repair) {
  RecordBuffers buffers;
  const auto note = [&](std::string_view bytes) -> Status {
    const auto record = decode(bytes, buffers);
    if (!record) {
      return Error{record.error().kind, log_path() + ": " + record.error().message};
    }
    if (record->kind == RecordKind::told) progress.told = record->next;
    if (!record->name.empty()) progress.last = record->name;
    return Status::ok();
  };
  is_missing_ = !fs_->exists(log_path());
  if (!is_missing_) {
    KITH_ASSIGN(end_, read_log(*fs_, log_path(), number_, note));
  }
  progress.was_cut = !is_missing_ && !end_.is_damaged && !end_.is_whole();
  if (!is_missing_ && !end_.is_damaged) return Status::ok();
  KITH_ASSIGN(const StreamLoss lost, loss());
  if (!repair) return damage(lost);
  progress.lost = lost;
  return Status::ok();
}

Result<StreamLoss> Store::loss() const {
  StreamLoss lost;
  if (is_missing_) return lost;
  lost.bytes = end_.size - end_.bytes;
  RecordBuffers buffers;
  const auto count = [&](std::string_view bytes) {
    const auto record = decode(bytes, buffers);
    lost.pages += record.is_ok() && !record->name.empty() ? 1 : 0;
    return Status::ok();
  };
  KITH_TRY(find_records(*fs_, log_path(), end_.bytes, count));
  return lost;
}

Error Store::damage(const StreamLoss& loss) const {
  const std::string what =
      is_missing_ ? fmt::format("{} is missing", log_path())
                  : fmt::format(
                        "{} is damaged at byte {}: the {} bytes from there on, {} pages or more, "
                        "cannot be used",
                        log_path(), end_.bytes, loss.bytes, loss.pages);
  return {
      ErrorKind::corrupt,
      fmt::format("{}; restore {} from a backup, or give repair = true, which goes on without them",
                  what, directory_)};
}

Status Store::replay(const std::function<Status(const Record& record)>& take) {
  if (is_missing_) return Status::ok();
  RecordBuffers buffers;
  const auto take_bytes = [&](std::string_view bytes) -> Status {
    KITH_ASSIGN(const Record record, decode(bytes, buffers));
    Status taken = take(record);
    if (taken || taken.error().kind != ErrorKind::corrupt) return taken;
    return Error{ErrorKind::corrupt, log_path() + ": " + taken.error().message};
  };
  return read_log(*fs_, log_path(), number_, take_bytes).status();
}

Status Store::go_on() {
  if (is_missing_ || end_.bytes == 0) {
    KITH_ASSIGN(log_, LogWriter::create(*fs_, log_path(), number_));
  } else {
    KITH_ASSIGN(log_, LogWriter::reopen(*fs_, log_path(), end_.bytes));
  }
  // Of a stream that was killed while it wrote a snapshot.
  if (number_ > 0) KITH_TRY(fs_->remove(log_path(number_ - 1)));
  return fs_->remove(log_path(number_ + 1));
}

// A snapshot says by its number which log belongs to it. So the new log is there before the new
// snapshot, and the earlier one goes last: there is never a snapshot without its log.
Status Store::snapshot(const Engine& engine, StoredProgress& progress) {
  if (log_ && !log_->is_lost()) KITH_TRY(log_->sync());
  StoredProgress next = progress;
  ++next.snapshot;
  const std::string path = log_path(next.snapshot);
  const std::string earlier = log_path();
  KITH_ASSIGN(LogWriter log, LogWriter::create(*fs_, path, next.snapshot));
  Status written =
      run::guarded([&] { return write_snapshot(*fs_, snapshot_path(), engine, next); });
  if (!written) {
    // It may have its name already, although it is not known to be on the disk: both logs stay.
    const auto there = run::guarded([&] { return Snapshot::open(*fs_, snapshot_path()); });
    if (!there || there->head().progress.snapshot != next.snapshot) {
      static_cast<void>(fs_->remove(path));
      return written;
    }
  }
  std::swap(progress, next);
  number_ = progress.snapshot;
  log_ = std::move(log);
  KITH_TRY(written);
  // What stays is removed when the stream is opened next.
  static_cast<void>(fs_->remove(earlier));
  return Status::ok();
}

}  // namespace kith::jobs
