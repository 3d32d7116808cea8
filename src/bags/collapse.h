// A partition to runs: the fragments of every URL are brought together and their terms counted
// (the paper, section 2.1; docs/algorithms/bags.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/fragment.h"
#include "bags/run.h"
#include "bags/url_groups.h"
#include "bags/weights.h"
#include "base/budget.h"
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
                                       const std::string& run_path, const Budget& memory,
                                       bool& too_many_urls, const CollapseOptions& options);

// Partitions of any size to runs, within a bound of memory. Internal to this folder.

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

  // Of what a call of collapse() may take, the bytes of a partition that is collapsed in memory.
  static uint64_t max_bytes(const Budget& memory) {
    return memory.bytes(Share::partition_fragments) / expansion;
  }

  // memory: for a call of collapse(). All must outlive this object.
  PartitionCollapser(storage::FileSystem& fs, const Budget& memory, const CollapseOptions& options)
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
  const Budget memory_;
  const CollapseOptions options_;
};

// What is said about an alias, said again about its target (aliases.h).

// Writes every fragment of `partition` (read_fragment's format) that belongs to an alias to
// `folded`, for its target. The alias's own page, words and title become fragments of an alias:
// they count only where the target was not fetched. Thread-safe with respect to other writers.
Status fold_partition(std::string_view partition, const AliasMap& aliases, FragmentWriter& folded);

}  // namespace kith::bags
