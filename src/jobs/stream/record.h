// The records of a stream's log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "jobs/stream/features.h"
#include "jobs/stream/page_words.h"

namespace kith::jobs {

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

}  // namespace kith::jobs
