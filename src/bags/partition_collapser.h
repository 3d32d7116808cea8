// Partitions of any size to runs, within a bound of memory. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kith/status.h"

#include "bags/collapse.h"
#include "bags/fragment.h"
#include "storage/file_system.h"

namespace kith::bags {

// The fragments of some URLs, all that there are of these.
struct PartitionFiles {
  std::vector<std::string> paths;  // that exist, one behind the other
  uint64_t bytes = 0;
  unsigned first_bit = 0;         // of the keys of URLs: from it on they are not all equal
  uint64_t largest_fragment = 0;  // or more; of a whole partition only
};

// A partition that fits the memory is collapsed there. A larger one is split by the next bits of
// the keys into files, and these are collapsed; and where one URL has most of it, so that splitting
// does not help, it goes chunk by chunk (collapse_chunks).
class PartitionCollapser {
 public:
  // What a partition in memory takes: its own bytes, an index of fragments, the strings of its
  // URLs.
  static constexpr uint64_t expansion = 3;

  // memory: bytes that a call of collapse() may take. All must outlive this object.
  PartitionCollapser(storage::FileSystem& fs, uint64_t memory, const CollapseOptions& options)
      : fs_(fs), memory_(memory), options_(options) {}

  // Collapses the files and removes them. The runs, one or several, are named after `name`, and
  // appended to `runs`. Thread-safe for different partitions.
  Result<CollapseCounts> collapse(const PartitionFiles& files, const std::string& name,
                                  std::vector<std::string>& runs) const;

 private:
  Result<CollapseCounts> collapse_part(const PartitionFiles& files, uint64_t whole,
                                       const std::string& name,
                                       std::vector<std::string>& runs) const;
  Result<CollapseCounts> collapse_in_memory(const PartitionFiles& files,
                                            const std::string& name) const;
  Status deal_out(const PartitionFiles& files, FragmentSpool& parts) const;
  Result<CollapseCounts> split(const PartitionFiles& files, const std::string& name,
                               std::vector<std::string>& runs) const;
  Status remove(const PartitionFiles& files) const;

  storage::FileSystem& fs_;
  const uint64_t memory_;
  const CollapseOptions options_;
};

}  // namespace kith::bags
