// The records of a stream's log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "stream/features.h"

namespace kith::stream {

enum class RecordKind : uint8_t {
  page = 1,     // a page came
  removal = 2,  // a document was removed
  told = 3,     // the decisions up to `next` have been told
};

struct Record {
  RecordKind kind = RecordKind::page;
  std::string_view name;
  int64_t time = 0;
  std::string_view source;  // where it was read; may be empty
  uint64_t next = 0;        // the first record of the source that was not
  Features features;        // of a page
};

// Replaces `bytes`.
void encode(const Record& record, std::string& bytes);

// A view of `bytes` and `features`. An error of kind corrupt when they are no record.
Result<Record> decode(std::string_view bytes, std::vector<uint64_t>& features);

}  // namespace kith::stream
