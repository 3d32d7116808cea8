// All pairs of sets of which the larger contains the smaller (docs/algorithms/near-duplicates.md).
// MinHash finds sets of similar size; this finds a short document inside a long one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_pair.h"

namespace kith::similar {

struct ContainmentJoinOptions {
  double similarity = 0.8;  // the minimum |A n B| / |A| of a set A and one B as large, (0, 1]
  double recall = 0.99;     // of pairs of that containment, (0, 1)
  uint64_t memory = 0;      // bytes that the join may take; 0: whatever it takes
};

// How the sets of a class of sizes were looked for.
struct SampledClass {
  uint64_t min_elements = 0;  // 2^j: sets of so many elements, up to twice as many
  uint64_t sets = 0;
  uint64_t one_in = 1;     // 2^i: of so many elements one is a sample
  uint64_t samples = 0;    // of all sets
  uint64_t looked_up = 0;  // of these, the ones that were looked for in the larger sets
};

struct ContainmentJoinStats {
  uint64_t met = 0;                   // pairs that share a sample which was looked for
  uint64_t candidates = 0;            // of these, share enough samples
  uint64_t similar = 0;               // of these, of the similarity
  uint64_t blocks = 0;                // that the sets were cut into, to fit the memory
  std::vector<SampledClass> classes;  // by size, ascending; those without sets are left out
};

// Joins the sets of `ids` (ascending, none empty, no two equal, each of fewer than 2^32 elements).
// The samples of as many sets as the memory allows are held, all sets are read and looked through
// for them, and a pair is a candidate when enough samples of the smaller set are in the larger
// one. Sets of less than 64 elements are looked for as a whole (fewer samples are taken of none),
// so that none of their pairs is missed. Every candidate is verified by overlap(). What is found
// is the same for any number of threads and any memory.
Result<ContainmentJoinStats> containment_join(
    const HashSets& sets, std::span<const uint32_t> ids, const ContainmentJoinOptions& options,
    ThreadPool& pool, const SetJoinSinks& sinks,
    const std::function<void(double share)>& progress = nullptr);

}  // namespace kith::similar
