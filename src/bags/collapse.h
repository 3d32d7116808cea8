// A partition to runs: the fragments of every URL are brought together and their terms counted
// (the paper, section 2.1; docs/algorithms/bags.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

  CollapseCounts& operator+=(const CollapseCounts& more);
};

// What the terms of fragments count as.
struct CountedTerms {
  // By term of a fragment, the term that it counts as; empty: each as itself.
  std::span<const uint32_t> numbers;
  // By what they count as: for every bag that holds one, 1 is added, by any thread.
  std::span<uint32_t> document_frequency;
};

// Collapses the fragments in `partition` (read_fragment's format), but for those of aliases, into
// a run at `run_path`.
// A URL that was not fetched takes title and words from the first of its aliases that was.
// Thread-safe with respect to other partitions. Memory: about 24 bytes per fragment and
// UrlGroups::bytes_of_url a URL on top of the partition, and a block of write_block bytes.
Result<CollapseCounts> collapse_partition(storage::FileSystem& fs, std::string_view partition,
                                          const AliasMap& aliases, const std::string& run_path,
                                          const CountedTerms& terms, size_t write_block = 1 << 20);

// The same for fragments that do not fit the memory, in files one behind the other: chunk after
// chunk, a URL of many chunks in as many records, which are then joined. Memory: `memory`, if that
// has room for UrlGroups::bytes_of_url for every URL; `too_many_urls` says that it has not, and
// nothing is written then.
Result<CollapseCounts> collapse_chunks(storage::FileSystem& fs,
                                       const std::vector<std::string>& paths,
                                       const AliasMap& aliases, const std::string& run_path,
                                       uint64_t memory, bool& too_many_urls,
                                       const CountedTerms& terms);

}  // namespace kith::bags
