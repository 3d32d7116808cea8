// The second stage of `kith dedup`: equal documents, and the verified pairs of the others.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "pairs/set_join.h"
#include "parallel/thread_pool.h"
#include "pipeline/document_table.h"
#include "storage/section_file.h"

namespace kith::pipeline {

inline constexpr storage::FileKind matches_kind{"mtch", 1};

// Immutable, thread-safe.
class Matches {
 public:
  static Result<Matches> open(storage::FileSystem& fs, const std::string& path, uint32_t documents);

  // By document: the first one with the same elements.
  std::span<const uint32_t> representative() const { return representative_; }
  // Similar representatives, a < b, ascending.
  std::span<const pairs::SetPair> pairs() const { return pairs_; }
  // What was read of pairs() will not be read for a while.
  void release() const { file_.release(); }

 private:
  storage::SectionFile file_;
  std::span<const uint32_t> representative_;
  std::span<const pairs::SetPair> pairs_;
};

// Where and within what a stage works.
struct DedupResources {
  storage::FileSystem& fs;
  std::string scratch;  // a folder for temporary files
  uint64_t memory;      // bytes for the whole process
  ThreadPool& pool;
};

// Writes the matches file to `path` and fills what the report says of it.
Status write_matches(const std::string& path, const DocumentTable& documents,
                     const DedupOptions& options, const DedupResources& resources,
                     DedupReport& report, const ProgressCallback& progress);

}  // namespace kith::pipeline
