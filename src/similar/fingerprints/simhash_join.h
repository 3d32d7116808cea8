// All pairs of fingerprints within a Hamming distance: exact, no pair is missed (Manku, Jain, Das
// Sarma 2007, section 3, "batch queries", here as a join of the whole with itself;
// docs/algorithms/simhash.md). And the pairs of sets that they find.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "similar/fingerprints/fingerprint_groups.h"
#include "similar/neighbour.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_pairs.h"
#include "similar/tables/bucket_scan.h"
#include "storage/file_system.h"

namespace kith::similar {

// Two different fingerprints by their places, a < b.
struct FingerprintPair {
  uint32_t a;
  uint32_t b;
  uint32_t distance;  // Hamming, 1 to k
  friend auto operator<=>(const FingerprintPair&, const FingerprintPair&) = default;
};

// Receives the pairs, each once, in batches of no certain order; from one thread at a time. An
// error ends the join.
using FingerprintPairSink = std::function<Status(std::span<const FingerprintPair> batch)>;

// Receives a group of places, ascending, whose fingerprints agree in so many bits that all pairs
// within the distance which agree in these meet there; `name` tells it from the others. As above.
using FingerprintGroupSink = std::function<Status(uint64_t name, std::span<const uint32_t> places)>;

struct SimhashJoinOptions {
  uint32_t distance = 3;  // k, 0 to sketch::max_distance
  // Blocks that the 64 bits are cut into, above k and at most k + 8; 0: chosen for the number of
  // fingerprints. The pairs do not depend on it.
  uint32_t blocks = 0;
  // For what the join takes besides the fingerprints; without a limit 16.25 bytes per fingerprint.
  // What does not fit is done in parts, for each of which the fingerprints are read once more. Less
  // than min_simhash_memory is taken for that.
  Budget memory = {};
  // What the fingerprints are a view of, if they are mapped: with a limit, what has been read is
  // released.
  const Mapping* mapping = nullptr;
  // Receives the groups of fingerprints that weigh more than largest_fingerprint_group together;
  // their pairs are then not looked for, and the pairs that are found are those that belong to no
  // such group. Null: all pairs are looked for. The groups are the same for any threads and memory,
  // but depend on blocks.
  FingerprintGroupSink groups = nullptr;
  // What the fingerprint at a place weighs, at least 1 and at most max_weight; null: 1.
  // Thread-safe.
  std::function<uint32_t(uint32_t place)> weight = nullptr;
  uint32_t max_weight = 1;
};
inline constexpr uint64_t largest_fingerprint_group = 256;
inline constexpr uint64_t min_simhash_memory = uint64_t{4} << 20;

struct SimhashJoinStats {
  uint64_t pairs = 0;     // given to the sink
  uint64_t compared = 0;  // pairs of fingerprints compared, repeats included
  uint64_t moved = 0;     // fingerprints written to a group
  uint64_t scans = 0;     // times that all fingerprints were read
};

// Joins different fingerprints, ascending, fewer than 2^32: of equal ones
// (similar/fingerprints/fingerprint_groups.h) one stands for all, so that a million equal
// fingerprints are one group and not 5e11 pairs. The set of pairs is the same for any threads,
// memory and blocks. REQUIRES: strictly ascending, options in range.
Result<SimhashJoinStats> simhash_join(std::span<const uint64_t> fingerprints,
                                      const SimhashJoinOptions& options, ThreadPool& pool,
                                      const FingerprintPairSink& sink,
                                      const JoinProgress& progress = nullptr);

// Pairs of sets whose SimHash fingerprints are near, by their exact resemblance
// (docs/algorithms/near-duplicates.md).

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
