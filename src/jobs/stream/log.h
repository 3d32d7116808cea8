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

namespace kith::jobs {

// Appends records. Not thread-safe. Records that could not be written wait: when there is room
// again, what an attempt has left is cut off, and they are written. After a failed sync nobody
// knows what is on the disk, so that nothing more is written.
class LogWriter {
 public:
  // A new, empty log of the snapshot of that number; what stood there is replaced.
  static Result<LogWriter> create(storage::FileSystem& fs, const std::string& path,
                                  uint64_t snapshot);
  // A log of which the first `bytes` bytes are whole records; the rest is cut off.
  static Result<LogWriter> reopen(storage::FileSystem& fs, const std::string& path, uint64_t bytes);

  // Takes a record, which reaches the file with flush().
  void append(std::string_view record);
  // Records from that byte on, which have not reached the file, are taken back.
  void take_back(uint64_t bytes);
  // Whether so much waits that it is time for flush().
  bool is_full() const;
  // All records so far are the operating system's: they survive the end of this process.
  Status flush();
  // All records so far are on the disk.
  Status sync();
  // Of the file, with the records that wait.
  uint64_t bytes() const { return written_ + waiting_.size(); }
  // Whether a sync has failed.
  bool is_lost() const { return !lost_.is_ok(); }

 private:
  LogWriter(storage::FileSystem& fs, std::string path, std::unique_ptr<storage::WritableFile> file,
            uint64_t bytes)
      : fs_(&fs), path_(std::move(path)), file_(std::move(file)), written_(bytes) {}
  Status cut_off();

  storage::FileSystem* fs_;
  std::string path_;
  std::unique_ptr<storage::WritableFile> file_;
  std::string waiting_;
  uint64_t written_;      // bytes of the file that are whole records
  bool is_torn_ = false;  // more may follow these
  Status lost_;
};

struct LogEnd {
  uint64_t bytes = 0;  // of whole records and of what stands before them
  uint64_t size = 0;   // of the file
  // What follows those is no record that was being written when its writer ended.
  bool is_damaged = false;

  bool is_whole() const { return bytes == size; }
};

using TakeRecord = std::function<Status(std::string_view record)>;

// Calls take(record) for the whole records of a log, in their order, up to the first that is not.
// Needs memory for the longest record.
Result<LogEnd> read_log(storage::FileSystem& fs, const std::string& path, uint64_t snapshot,
                        const TakeRecord& take);

// Calls take(record) for the whole records wherever they are at byte `from` or later.
Status find_records(storage::FileSystem& fs, const std::string& path, uint64_t from,
                    const TakeRecord& take);

}  // namespace kith::jobs
