// Pairs of sets that share super-shingles, by their exact resemblance (Broder, "Identifying and
// filtering near-duplicate documents", 2000; docs/algorithms/near-duplicates.md).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/pair_rule.h"
#include "similar/tables/bucket_scan.h"
#include "sketch/signature.h"
#include "storage/file_system.h"

namespace kith::similar {

struct SuperShingleJoinOptions {
  uint32_t minima = 14;  // s, of a super-shingle
  uint32_t groups = 6;   // super-shingles, of groups * minima <= lanes values
  uint32_t least = 2;    // that candidates share, 1 to groups
  PairRule rule;
  std::string scratch;  // of temporary files, as in ExternalSortOptions
  Budget memory = {};   // for what the join takes
  // Larger runs of sets that share a super-shingle are whole parts. At least 2.
  uint32_t largest_run = largest_bucket;
};

struct SuperShingleJoinStats {
  uint64_t collisions = 0;  // pairs compared, one that shares n super-shingles n times
  uint64_t candidates = 0;  // pairs that share enough of them
  uint64_t similar = 0;     // of these, of the similarity
  SplitStats whole;         // the runs that were given away as whole parts
};

// Every two sets of `ids` (ascending, none empty) that share at least `least` super-shingles. Each
// is verified by overlap(). Of sets that meet in a run over the bound for the first time no pair is
// made; the run is a whole part. Without a sink for these all pairs are compared, so that time
// grows with the pairs that share a super-shingle. `signatures` has a row for every set. The same
// for any number of threads and any memory. REQUIRES: options in range.
Result<SuperShingleJoinStats> super_shingle_join(
    storage::FileSystem& fs, const HashSets& sets, std::span<const uint32_t> ids,
    const sketch::Signatures& signatures, const SuperShingleJoinOptions& options, ThreadPool& pool,
    const SetJoinSinks& sinks, const std::function<void(double share)>& progress = nullptr);

}  // namespace kith::similar
