// The second stage of `kith dedup`: equal documents, and the verified pairs of the others.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/families/whole_parts.h"
#include "jobs/dedup/read.h"
#include "similar/sets/set_pairs.h"
#include "storage/external_sort.h"
#include "storage/section_file.h"

namespace kith::jobs {

inline constexpr storage::FileKind matches_kind{"mtch", 2};

// Immutable, thread-safe.
class Matches {
 public:
  static Result<Matches> open(storage::FileSystem& fs, const std::string& path, uint32_t documents);

  // By document: the first one with the same elements.
  std::span<const uint32_t> representative() const { return representative_; }
  // Similar representatives, a < b, ascending.
  std::span<const similar::SetPair> pairs() const { return pairs_; }
  // The representative of the component that all candidates join a document to, parts left out.
  std::span<const uint32_t> unverified() const { return unverified_; }
  // Representatives that meet in large buckets, whose pairs are not all in pairs().
  const WholeParts& parts() const { return parts_; }
  // Whether a part of what these are views of is what was written.
  template <class T>
  Status check(std::span<const T> part) const {
    return file_.check(part);
  }
  // See SectionFile.
  Status check_size() const { return file_.check_size(); }
  // What was read of pairs() will not be read for a while.
  void release() const { file_.release(); }
  // To be called behind each of pairs(), in their order: so that few of them are in memory.
  void pass(const similar::SetPair& pair) const {
    constexpr size_t block = 1 << 16;
    if (static_cast<size_t>(&pair - pairs_.data()) % block == block - 1) release();
  }

 private:
  storage::SectionFile file_;
  std::span<const uint32_t> representative_;
  std::span<const similar::SetPair> pairs_;
  std::span<const uint32_t> unverified_;
  WholeParts parts_;
};

// Gives pairs to a sort, and appends them in their order to the current section of a file; visit()
// sees each.
Status append_pairs(storage::ExternalSort& sort, std::span<const similar::SetPair> found);
Status write_pairs(storage::SectionWriter& file, storage::ExternalSort& sort,
                   const std::function<void(const similar::SetPair&)>& visit);

// Writes the matches file to `path`, with some methods other files beside it, and fills what the
// report says of it. What is removed against an earlier run has no match.
Status write_matches(const std::string& path, const DocumentTable& documents,
                     const Against& against, const DedupOptions& options,
                     const DedupResources& resources, DedupReport& report,
                     const ProgressCallback& progress);

// The same of documents that are all different, and whose pairs (sorted) and whole parts are known.
Status write_known_matches(const std::string& path, uint32_t documents,
                           std::span<const similar::SetPair> pairs, WholePartWriter& parts,
                           storage::FileSystem& fs);

}  // namespace kith::jobs
