// The folder of a stream: a snapshot, and a log of what has come since.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kith/status.h"
#include "kith/stream.h"

#include "jobs/stream/engine.h"
#include "jobs/stream/log.h"
#include "storage/file_system.h"
#include "storage/section_file.h"

namespace kith::jobs {

// The state of a stream as one file (docs/formats/stream.md).

inline constexpr storage::FileKind snapshot_kind{"strm", 4};

// Replaces the file at `path`.
Status write_snapshot(storage::FileSystem& fs, const std::string& path, const Engine& engine,
                      const StoredProgress& progress);

// A snapshot that was opened: its head is sound.
class Snapshot {
 public:
  // Errors of kind not_found and corrupt.
  static Result<Snapshot> open(storage::FileSystem& fs, const std::string& path);

  const SnapshotHead& head() const { return head_; }
  // Reads clusters and documents into an empty engine with the options of the head, but for memory.
  // Checks everything.
  Status read(Engine& engine) const;

 private:
  storage::SectionFile file_;
  SnapshotHead head_;
};

inline constexpr std::string_view snapshot_file = "stream.kith";
// Features of documents, while the stream is open (BlockStore::files()).
inline constexpr std::string_view features_file = "stream.features";

// The snapshot in a folder. An error of kind not_found says how one is made.
Result<Snapshot> open_snapshot(storage::FileSystem& fs, const std::string& directory);

// The options, with the themes of the stream in the folder where they are not given.
Result<StreamOptions> settle_themes(storage::FileSystem& fs, const std::string& directory,
                                    StreamOptions options);

// Not thread-safe. Keeps other processes out of the folder as long as it lives. Of a stream that is
// there: open(), look_through(), replay(), go_on(), and then the rest; before go_on() no file that
// is kept is touched.
class Store {
 public:
  // Makes or opens the folder. The engine is empty, and progress has the key of the dictionary;
  // afterwards it has the state of the last snapshot.
  static Result<Store> open(storage::FileSystem& fs, const std::string& directory, Engine& engine,
                            StoredProgress& progress);
  // Whether there was none.
  bool is_new() const { return log_.has_value(); }

  // What the log says of itself, where the snapshot says otherwise. Its records are checked. Where
  // it is damaged: with `repair` what is lost, else an error.
  Status look_through(StreamProgress& progress, bool repair);
  // Calls take(record) for all of them.
  Status replay(const std::function<Status(const Record& record)>& take);
  // Drops what is no whole record.
  Status go_on();

  // REQUIRES: the stream is new, or go_on().
  LogWriter& log() { return *log_; }
  const LogWriter& log() const { return *log_; }
  // Writes a snapshot and begins a new log; progress.snapshot becomes its number. After an error
  // all is as it was.
  Status snapshot(const Engine& engine, StoredProgress& progress);

 private:
  Store(storage::FileSystem& fs, std::string directory)
      : fs_(&fs), directory_(std::move(directory)) {}
  std::string snapshot_path() const { return directory_ + "/" + std::string(snapshot_file); }
  std::string log_path(uint64_t snapshot) const;
  std::string log_path() const { return log_path(number_); }
  Status begin(Engine& engine, StoredProgress& progress);
  Result<StreamLoss> loss() const;
  Error damage(const StreamLoss& loss) const;

  storage::FileSystem* fs_;
  std::string directory_;
  std::unique_ptr<storage::FolderLock> lock_;
  uint64_t number_ = 0;  // of the snapshot
  LogEnd end_;           // of its log, as it was found
  bool is_missing_ = false;
  std::optional<LogWriter> log_;
};

}  // namespace kith::jobs
