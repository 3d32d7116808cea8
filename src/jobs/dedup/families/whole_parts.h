// Large buckets whose pairs are not compared one by one: which documents are in each, as a part of
// the matches file (docs/formats/dedup.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "jobs/dedup/read.h"
#include "storage/external_sort.h"
#include "storage/section_file.h"

namespace kith::jobs {

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

}  // namespace kith::jobs
