// The head and the records of a stream's log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"
#include "kith/stream.h"

#include "jobs/stream/features.h"
#include "jobs/stream/page_words.h"

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
std::string_view first_difference(const StreamOptions& a, const StreamOptions& b);

}  // namespace kith::jobs
