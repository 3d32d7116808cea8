// The log of a stream: what has come since the last snapshot, record by record, each checked by
// itself. docs/formats/stream.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kith/status.h"

#include "storage/file_system.h"

namespace kith::stream {

// Appends records. Not thread-safe. After an error nothing more is written: the log ends with the
// last whole record.
class LogWriter {
 public:
  // A new, empty log behind the snapshot of that number; what stood there is replaced.
  static Result<LogWriter> create(storage::FileSystem& fs, const std::string& path,
                                  uint64_t snapshot);
  // A log whose records are all whole, to be gone on with. bytes: its size.
  static Result<LogWriter> reopen(storage::FileSystem& fs, const std::string& path, uint64_t bytes);

  // Takes a record; it reaches the file with flush() at the latest.
  Status append(std::string_view record);
  // All records so far are the operating system's: they survive the end of this process.
  Status flush();
  // All records so far are on the disk.
  Status sync();
  // Of the file, with what was not flushed.
  uint64_t bytes() const { return bytes_; }

 private:
  explicit LogWriter(std::unique_ptr<storage::WritableFile> file) : file_(std::move(file)) {}

  std::unique_ptr<storage::WritableFile> file_;
  std::string buffer_;
  uint64_t bytes_ = 0;
  Status failure_;
};

struct LogEnd {
  uint64_t bytes = 0;     // of whole records and of what stands before them
  bool is_whole = false;  // nothing stands behind them
};

// Calls take(record) for the whole records of a log, in their order, up to the first that is not:
// its writer was killed, or the disk was full. An error of kind corrupt when the file is no log of
// that snapshot. Needs memory for the longest record.
Result<LogEnd> read_log(storage::FileSystem& fs, const std::string& path, uint64_t snapshot,
                        const std::function<Status(std::string_view record)>& take);

}  // namespace kith::stream
