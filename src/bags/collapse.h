// A partition to a run: the fragments of every URL are brought together and their terms
// counted, in memory (the paper, section 2.1; DESIGN.md section 2, "Anchor bag").
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/run.h"
#include "storage/file_system.h"

namespace kith::bags {

struct CollapseCounts {
  uint64_t urls = 0;
  uint64_t fetched = 0;
  uint64_t with_terms = 0;  // URLs whose raw bag is not empty
  uint64_t fragments = 0;
};

// Collapses the fragments in `partition` (read_fragment's format), but for those of aliases, into
// a run at `run_path` and adds 1 to document_frequency[term] for every bag that holds a term.
// A URL that was not fetched takes title and words from the first of its aliases that was.
// Thread-safe with respect to other partitions. Memory: about 24 bytes a fragment and 100 a URL on
// top of the partition.
Result<CollapseCounts> collapse_partition(storage::FileSystem& fs, std::string_view partition,
                                          const AliasMap& aliases, const std::string& run_path,
                                          std::span<std::atomic<uint32_t>> document_frequency);

}  // namespace kith::bags
