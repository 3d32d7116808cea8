// Pairs of sets whose SimHash fingerprints are near, by their exact resemblance
// (docs/algorithms/near-duplicates.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "similar/fingerprints/fingerprint_groups.h"
#include "similar/neighbour.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/pair_rule.h"
#include "similar/tables/bucket_scan.h"
#include "storage/file_system.h"

namespace kith::similar {

// The fingerprint of a set: simhash() of its elements, each of weight 1. (Of a bag, the k-th
// occurrence of a shingle is an element of its own, so that a shingle weighs what it counts.)
uint64_t set_fingerprint(sketch::HashSet set);

// Writes the fingerprints of the sets of `ids` to `path`, as docs/formats/simhash.md says.
// SCRATCH: as of ExternalSortOptions; memory: bytes, 0: 256 MiB.
Status write_set_fingerprints(storage::FileSystem& fs, const std::string& path,
                              const HashSets& sets, std::span<const uint32_t> ids,
                              const std::string& scratch, const Budget& memory, ThreadPool& pool);

struct SimhashSetJoinOptions {
  uint32_t distance = 3;  // of 64 bits, 0 to sketch::max_distance
  PairRule rule;
  std::string scratch;  // of temporary files, as in ExternalSortOptions
  Budget memory = {};   // for what the join takes
  // The sets of one fingerprint are a whole part when they are more. At least 2.
  uint32_t largest_group = largest_bucket;
};

struct SimhashSetJoinStats {
  uint64_t candidates = 0;  // pairs of sets within the distance
  uint64_t similar = 0;     // of these, of the similarity
  // Candidates by distance: 0 to options.distance.
  std::vector<uint64_t> by_distance;
  SplitStats whole;  // what was given away as whole parts
};

// Every two sets of `groups` whose fingerprints differ in at most `distance` bits. Each is verified
// by overlap(). What meets in a large group of equal or near fingerprints (simhash_join.h) is given
// away as a whole part, without its pairs; with no sink for these all pairs are compared, so that
// time grows with their number. The same for any number of threads and any memory.
Result<SimhashSetJoinStats> simhash_set_join(storage::FileSystem& fs, const HashSets& sets,
                                             const FingerprintGroups& groups,
                                             const SimhashSetJoinOptions& options, ThreadPool& pool,
                                             const SetJoinSinks& sinks,
                                             const JoinProgress& progress = nullptr);

}  // namespace kith::similar
