// The first section of a stream's snapshot: options, counts and progress.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kith/status.h"
#include "kith/stream.h"

namespace kith::jobs {

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
