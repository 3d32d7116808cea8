// Copies: pages of the same content. In bags of both kinds what links say of one of them counts for
// all, so that copies do not fall apart (docs/algorithms/bags.md).
//
//   contents of all pages -> those that several pages have -> the anchor counts of their pages,
//   summed by content -> the bags of these pages
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/collapse.h"
#include "bags/run.h"
#include "bags/weights.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"

namespace kith::bags {

struct CopyOptions {
  std::string scratch;  // files are named after it
  Budget memory = {};   // of the bags stage
};

// The contents that several pages have. Memory: 12 bytes for each. Immutable.
class CopyGroups {
 public:
  CopyGroups() = default;
  // sorted: the content of every page, in rising order.
  static Result<CopyGroups> read(storage::SortedRecords sorted);

  uint32_t size() const { return static_cast<uint32_t>(contents_.size()); }
  uint32_t pages(uint32_t group) const { return pages_[group]; }
  uint64_t all_pages() const;
  // The group of the pages of that content; nothing when it is of one page, or 0.
  std::optional<uint32_t> find(uint64_t content) const;

 private:
  std::vector<uint64_t> contents_;  // rising
  std::vector<uint32_t> pages_;
};

// The anchor counts of every group, on the disk or, where they fit their share of the memory, in
// it. Thread-safe.
class CopyAnchors {
 public:
  CopyAnchors() = default;
  // From the records of the runs. What the pages of a group gain is entered into `frequencies` and
  // `counts`. Memory: shares of options.memory, and 8 bytes a group.
  static Result<CopyAnchors> gather(storage::FileSystem& fs, ThreadPool& pool,
                                    std::span<const std::string> runs, CopyGroups groups,
                                    const CopyOptions& options, DocumentFrequencies& frequencies,
                                    CollapseCounts& counts);

  const CopyGroups& groups() const { return groups_; }
  Slots slots() const { return slots_; }
  // Counts by slot as in a run; in `buffer` where they are read from the disk.
  Result<std::string_view> read(uint32_t group, std::string& buffer) const;
  // Removes the file.
  Status remove();

 private:
  Status write(storage::SortedRecords sorted, DocumentFrequencies& frequencies,
               CollapseCounts& counts);

  storage::FileSystem* fs_ = nullptr;
  std::string path_;
  Slots slots_{max_parts};
  CopyGroups groups_;
  std::vector<uint64_t> ends_;  // by group, of its bytes in the file
  std::string bytes_;           // all of them, or nothing
};

// A worker's look at them; its buffers are reused. Not thread-safe.
class CopyReader {
 public:
  // `anchors` must outlive this object.
  explicit CopyReader(const CopyAnchors& anchors) : anchors_(&anchors) {}

  // Puts the anchor counts of all copies of a page in the place of its own.
  Status replace_anchors(uint64_t content, std::vector<TermCount>& counts);

 private:
  const CopyAnchors* anchors_;
  std::string buffer_;
  std::vector<TermCount> merged_;
};

}  // namespace kith::bags
