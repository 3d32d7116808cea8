// The second stage of `kith dedup`: equal documents, the verified pairs of the others, and large
// buckets whose pairs are not compared one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/read.h"
#include "similar/sets/set_pairs.h"
#include "storage/external_sort.h"
#include "storage/section_file.h"

namespace kith::jobs {

// Which documents are in each large bucket, as a part of the matches file (docs/formats/dedup.md).

// Collects the parts and writes them in an order that depends on their names only. Not thread-safe.
class WholePartWriter {
 public:
  // memory: bytes that it may take.
  WholePartWriter(const DedupResources& resources, uint64_t memory);

  // Documents of a part; more of them may come later. May be called from inside a job of the pool.
  Status add(uint64_t name, std::span<const uint32_t> documents);
  // Writes the sections. To be called once, outside the pool's jobs.
  Status write(storage::SectionWriter& file);

  uint64_t parts() const { return ends_.size(); }
  uint64_t members() const { return members_; }
  uint64_t largest() const { return largest_; }
  // Pairs of documents of one part, once for each part.
  uint64_t pairs() const { return pairs_; }

 private:
  Status write_members(storage::SectionWriter& file);
  void end_part();

  storage::ExternalSort sort_;
  std::vector<uint64_t> ends_;  // of the parts that were written, in members
  uint64_t members_ = 0;
  uint64_t largest_ = 0;
  uint64_t pairs_ = 0;
};

// The parts of a matches file. A view of it, thread-safe.
class WholeParts {
 public:
  WholeParts() = default;
  // representative: by document, the first one with its elements. The file is corrupt unless parts
  // have at least two members each, ascending ones that represent themselves.
  static Result<WholeParts> open(const storage::SectionFile& file,
                                 std::span<const uint32_t> representative);

  size_t size() const { return ends_.size(); }
  // Of all parts.
  uint64_t members() const { return members_.size(); }
  // Representatives, ascending.
  std::span<const uint32_t> members(size_t part) const {
    const uint64_t begin = part == 0 ? 0 : ends_[part - 1];
    return members_.subspan(begin, ends_[part] - begin);
  }
  bool contains(size_t part, uint32_t document) const;

 private:
  std::span<const uint32_t> members_;
  std::span<const uint64_t> ends_;
};

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
