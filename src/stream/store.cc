#include "stream/store.h"

#include <utility>

#include <fmt/format.h>

#include "run/stage_files.h"

namespace kith::stream {
namespace {

Status check_options(const std::string& directory, const SnapshotHead& there,
                     const StreamOptions& asked, const std::string& dictionary) {
  std::string_view flag = first_difference(there.options, asked);
  if (flag.empty() && there.progress.dictionary != dictionary) flag = "--dictionary";
  if (flag.empty()) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("{} is a stream with another {}; give the same options as before, or "
                           "another folder",
                           directory, flag)};
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
                          StoredProgress& progress,
                          const std::function<Status(std::string_view record)>& replay,
                          bool& was_cut) {
  Store store(fs, directory);
  if (fs.exists(directory + "/" + std::string(pipeline::manifest_file))) {
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
    KITH_TRY(store.snapshot(engine, progress));
    return store;
  }
  KITH_ASSIGN(const Snapshot snapshot, Snapshot::open(fs, store.snapshot_path()));
  KITH_TRY(check_options(directory, snapshot.head(), engine.options(), progress.dictionary));
  KITH_TRY(snapshot.read(engine));
  progress = snapshot.head().progress;
  // Of a stream that was killed between its snapshot and the new log.
  if (progress.snapshot > 0) KITH_TRY(fs.remove(store.log_path(progress.snapshot - 1)));
  const std::string log = store.log_path(progress.snapshot);
  LogEnd end;
  if (fs.exists(log)) {
    KITH_ASSIGN(end, read_log(fs, log, progress.snapshot, replay));
    was_cut = !end.is_whole;
  }
  if (end.is_whole) {
    KITH_ASSIGN(store.log_, LogWriter::reopen(fs, log, end.bytes));
  } else {
    KITH_TRY(store.snapshot(engine, progress));
  }
  return store;
}

// A snapshot says by its number which log belongs to it. So the new one stands before the log of
// the earlier one goes, and whatever is left of the latter is not read any more.
Status Store::snapshot(const Engine& engine, StoredProgress& progress) {
  if (log_) KITH_TRY(log_->sync());
  StoredProgress next = progress;
  ++next.snapshot;
  KITH_TRY(write_snapshot(*fs_, snapshot_path(), engine, next));
  log_.reset();
  std::swap(progress, next);
  KITH_ASSIGN(log_, LogWriter::create(*fs_, log_path(progress.snapshot), progress.snapshot));
  return fs_->remove(log_path(next.snapshot));
}

}  // namespace kith::stream
