// The log of a stream: its records, and how it is read after a crash; and the head of the snapshot
// before it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"
#include "kith/stream.h"

#include "jobs/stream/features.h"
#include "jobs/stream/page_words.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The records of a stream's log.
enum class RecordKind : uint8_t {
  page = 1,       // a page came
  removal = 2,    // a document was removed
  told = 3,       // the first `next` answers have been told
  forgotten = 4,  // the `next` clusters that had waited longest were forgotten to make room
  source = 5,     // a source is read from record `next` on; features: its size and its hash
};

struct Record {
  RecordKind kind = RecordKind::page;
  std::string_view name;
  int64_t time = 0;         // as the stream took it
  bool is_ahead = false;    // it came with another time, too far ahead
  std::string_view source;  // where it was read; may be empty
  uint64_t next = 0;        // the first record of the source that was not
  Features features;        // of a page
  PageWords words;          // of a page
};

// Replaces `bytes`.
void encode(const Record& record, std::string& bytes);

// What a record views, beside its bytes.
struct RecordBuffers {
  std::vector<uint64_t> features;
  std::vector<PageWord> words;
};

// A view of `bytes` and `buffers`. An error of kind corrupt when they are no record.
Result<Record> decode(std::string_view bytes, RecordBuffers& buffers);

// The first section of a stream's snapshot: options, counts and progress.

// How far a source was read, and what it was then (StreamSource).
using Sources = std::map<std::string, StreamSource, std::less<>>;

// What a state has beside the engine.
struct StoredProgress {
  uint64_t snapshot = 0;   // its number; the log behind it has the same
  uint64_t answers = 0;    // all that were made
  uint64_t told = 0;       // those of them that were told; <= answers
  std::string dictionary;  // of a stream by bags WordDictionary::key(); else empty
  std::string last;        // the name of the page that came last; empty: none came
  Sources sources;
};

struct SnapshotHead {
  StreamOptions options;  // memory: 0
  StreamCounts counts;    // without those that the rest of the snapshot tells
  int64_t clock = 0;
  uint64_t next_number = 1;
  StoredProgress progress;
};

std::string encode(const SnapshotHead& head);
// An error of kind corrupt that does not name the file.
Result<SnapshotHead> decode_head(std::string_view bytes);

// The name of the first option in which two streams differ, but for memory; empty: in none.
std::string first_difference(const StreamOptions& a, const StreamOptions& b);

// The log of a stream: what has come since the last snapshot, record by record, each checked by
// itself. docs/formats/stream.md.

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
