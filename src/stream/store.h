// The folder of a stream: a snapshot, and a log of what has come since.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kith/status.h"
#include "kith/stream.h"

#include "storage/file_system.h"
#include "stream/log.h"
#include "stream/snapshot.h"

namespace kith::stream {

inline constexpr std::string_view snapshot_file = "stream.kith";
// Features of documents, while the stream is open (BlockStore::files()).
inline constexpr std::string_view features_file = "stream.features";

// The snapshot in a folder. An error of kind not_found says how one is made.
Result<Snapshot> open_snapshot(storage::FileSystem& fs, const std::string& directory);

// The options, with the themes of the stream in the folder where they are not given.
Result<StreamOptions> settle_themes(storage::FileSystem& fs, const std::string& directory,
                                    StreamOptions options);

// Not thread-safe. Keeps other processes out of the folder as long as it lives.
class Store {
 public:
  // Makes or opens the folder. The engine is empty, and progress has the key of the dictionary;
  // afterwards it has the state of the last snapshot, and replay(record) has been called for every
  // record of the log behind it. was_cut: whether the log did not end with a whole record.
  static Result<Store> open(storage::FileSystem& fs, const std::string& directory, Engine& engine,
                            StoredProgress& progress,
                            const std::function<Status(std::string_view record)>& replay,
                            bool& was_cut);

  LogWriter& log() { return *log_; }
  const LogWriter& log() const { return *log_; }
  // Writes a snapshot and begins a new log; progress.snapshot becomes its number.
  Status snapshot(const Engine& engine, StoredProgress& progress);

 private:
  Store(storage::FileSystem& fs, std::string directory)
      : fs_(&fs), directory_(std::move(directory)) {}
  std::string snapshot_path() const { return directory_ + "/" + std::string(snapshot_file); }
  std::string log_path(uint64_t snapshot) const;

  storage::FileSystem* fs_;
  std::string directory_;
  std::unique_ptr<storage::FolderLock> lock_;
  std::optional<LogWriter> log_;
};

}  // namespace kith::stream
