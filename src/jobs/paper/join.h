// The pairs as the paper finds them (section 3.3): l = 125 rounds, in each of which (key, URL) is
// sorted by a key of k = 3 minima and all pairs with the same key are filtered, but for buckets too
// large for that; then the pairs that survived are sorted, which brings repeats together.
// docs/algorithms/paper.md has the steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "jobs/paper/filter.h"
#include "jobs/paper/signature_file.h"
#include "similar/neighbour.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/bucket_split.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "storage/external_sort.h"

namespace kith::jobs {

inline constexpr uint32_t paper_tables = 125;  // l

// The lanes of the keys.
inline sketch::TableParams paper_table_params(uint64_t seed) {
  return {.lanes = paper_lanes,
          .per_key = paper_per_key,
          .tables = paper_tables,
          .seed = seed,
          .subsets = sketch::Subsets::random};
}

struct PaperJoinOptions {
  std::string scratch;                    // prefix of all files, which are gone in the end
  uint64_t memory = uint64_t{256} << 20;  // bytes of all buffers and one-byte signatures
  size_t block = size_t{256} << 10;       // bytes: see storage::ExternalSortOptions
  uint64_t seed = 1;                      // of the choice of lanes
  // The least bound of a bucket (bucket_scan.h raises it), at least 2.
  uint32_t largest_bucket = similar::largest_bucket;
};

struct PaperJoinReport {
  uint64_t candidates = 0;     // pairs with the same key, repeats in later rounds included
  uint64_t survivors = 0;      // of these, passed the filter
  uint64_t compared = 0;       // of these, different ones: by verify_survivors()
  uint64_t similar = 0;        // of these, with the minimum sum: by verify_survivors()
  similar::SplitStats splits;  // buckets that were not compared whole
  uint64_t blocks = 1;         // of URLs, that the one-byte signatures were cut into
  double pair_seconds = 0;     // extracting and sorting keys, enumerating pairs
  double filter_seconds = 0;
  double sort_seconds = 0;  // sorting survivors, as far as it is done before they are read
};

// Gives the survivors sorted: key = row_a << 32 | row_b with row_a < row_b, id = the number of
// equal one-byte values. A pair comes as often as it has met. The same for any memory and
// threads. `progress`, if any, is called with the share of the rounds that are done.
Result<storage::SortedRecords> paper_join(storage::FileSystem& fs,
                                          const PaperSignatureFile& signatures,
                                          const PaperJoinOptions& options, ThreadPool& pool,
                                          PaperJoinReport& report,
                                          const std::function<void(double share)>& progress = {});

// Receives similar pairs, in the order of (a, b). An error ends the verification.
using VerifiedSink = std::function<Status(std::span<const similar::Pair> pairs)>;

// What the paper leaves out: the exact sum of minima decides. Takes every pair of `survivors`
// once and gives those with sum >= min_sum, by ids, to the sink; both are counted in the report.
// `memory`: bytes of bags that may be in memory.
Status verify_survivors(storage::SortedRecords& survivors, const PaperSignatureFile& signatures,
                        const sketch::BagCollection& bags, uint32_t min_sum, uint64_t memory,
                        ThreadPool& pool, PaperJoinReport& report, const VerifiedSink& sink);

}  // namespace kith::jobs
