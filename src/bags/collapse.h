// A partition to runs: the fragments of every URL are brought together and their terms counted
// (the paper, section 2.1; docs/algorithms/bags.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/document_frequencies.h"
#include "bags/run.h"
#include "bags/slots.h"
#include "bags/url_groups.h"
#include "storage/file_system.h"

namespace kith::bags {

struct CollapseCounts {
  uint64_t urls = 0;
  uint64_t fetched = 0;
  uint64_t with_terms = 0;                         // URLs whose raw bag is not empty
  std::array<uint64_t, max_parts> with_part = {};  // URLs of which this part is not empty
  uint64_t left_out = 0;                           // URLs without a bag: GroupOptions::urls
  uint64_t fragments = 0;

  CollapseCounts& operator+=(const CollapseCounts& more);
};

// What becomes of fragments. All that is named must outlive the call.
struct CollapseOptions : GroupOptions {
  const AliasMap* aliases = nullptr;
  // Every bag is entered, by any thread. It also says by which slots terms are counted.
  DocumentFrequencies* frequencies = nullptr;
  // Called with the content of every page that has one; may be empty.
  std::function<Status(uint64_t content)> take_content = {};
};

// Collapses the fragments in `partition` (read_fragment's format), but for those of aliases, into
// a run at `run_path`.
// A URL that was not fetched takes title and words from the first of its aliases that was.
// Thread-safe with respect to other partitions. Memory: about 24 bytes per fragment and
// UrlGroups::bytes_of_url a URL on top of the partition, and a block of write_block bytes.
Result<CollapseCounts> collapse_partition(storage::FileSystem& fs, std::string_view partition,
                                          const std::string& run_path,
                                          const CollapseOptions& options,
                                          size_t write_block = 1 << 20);

// The same for fragments that do not fit the memory, in files one behind the other: chunk after
// chunk, a URL of many chunks in as many records, which are then joined. Memory: `memory`, if that
// has room for UrlGroups::bytes_of_url for every URL; `too_many_urls` says that it has not, and
// nothing is written then.
Result<CollapseCounts> collapse_chunks(storage::FileSystem& fs,
                                       const std::vector<std::string>& paths,
                                       const std::string& run_path, uint64_t memory,
                                       bool& too_many_urls, const CollapseOptions& options);

}  // namespace kith::bags
