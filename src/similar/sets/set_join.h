// All pairs of sets by their exact resemblance, found by LSH tables of MinHash signatures
// (docs/algorithms/near-duplicates.md). What lsh_join.h is for weighted bags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/pair_rule.h"
#include "similar/tables/bucket_scan.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::similar {

struct SetJoinOptions {
  double similarity = 0.8;  // the minimum resemblance of a pair, (0, 1]
  bool verify = true;       // false: every candidate is a pair, whatever its resemblance
  // A pair that met is a candidate when its low bytes agree so often as those of a pair at the
  // similarity do but for this probability.
  double plane_miss = 1e-4;
  // The least bound of a bucket (bucket_scan.h raises it), at least 2.
  uint32_t largest_bucket = similar::largest_bucket;
  Budget memory = {};  // for what the join takes
};

struct SetJoinStats {
  uint64_t collisions = 0;  // pairs compared on the plane, repeats in later tables included
  uint64_t candidates = 0;  // different pairs that reached the bar
  uint64_t similar = 0;     // of these, of the similarity
  SplitStats splits;        // what was divided, so that pairs were lost
  uint64_t blocks = 1;      // that the ids were cut into, to fit the memory
};

// Joins the sets of `ids` (ascending, none empty, each of fewer than 2^32 elements; equal sets are
// pairs too): a pair is a candidate when it shares a bucket of some table and its signatures agree
// often enough, and every candidate is verified by overlap(). With a sink for whole parts, what
// meets in one of those of a bucket (bucket_split.h) is given to that. `signatures` has a row for
// every set, of tables.params().lanes. What is found is the same for any number of threads and any
// memory: what does not fit is done block by block. An error of kind usage when the memory is below
// min_set_join_memory().
Result<SetJoinStats> set_join(const HashSets& sets, std::span<const uint32_t> ids,
                              const sketch::Signatures& signatures, const sketch::Tables& tables,
                              const SetJoinOptions& options, ThreadPool& pool,
                              const SetJoinSinks& sinks,
                              const std::function<void(double share)>& progress = nullptr);

// The least memory of SetJoinOptions that set_join() does with, for so many ids and signatures of
// so many lanes.
uint64_t min_set_join_memory(size_t documents, uint32_t lanes);

// The count of equal low bytes, of `lanes`, that makes a pair which met a candidate.
uint32_t min_equal_bytes(const SetJoinOptions& options, uint32_t lanes);

// All pairs of a set of one collection and one of another by their exact resemblance: what
// set_join() is within a collection.

// Some sets of a collection. A view.
struct SetSide {
  const HashSets& sets;
  const sketch::Signatures& signatures;  // a row for every set, of the lanes of the tables
  std::span<const uint32_t> ids;         // ascending, none empty
};

// Receives pairs of the similarity, each once, but some of large buckets twice: `a` is an id of the
// first side, `b` one of the second. Ascending within a call, from one thread at a time; an error
// ends the join.
using CrossPairs = std::function<Status(std::span<const SetPair> sorted)>;

// Joins two sides: a pair is a candidate when it shares a bucket of some table, of the sets of both
// sides, and its signatures agree often enough; every candidate is verified by overlap(). In a
// large bucket a set of the first side that stays together with many of the second (pivot_rule())
// is compared with 512 of these, once, so that a family of similar sets takes no quadratic time:
// then what it resembles most may be missed, but hardly that it resembles any. What is found is the
// same for any number of threads and any memory: what does not fit is done block by block, besides
// 17 bytes per set of both sides. An error of kind usage when the two collections have more than
// 2^32
// - 1 sets.
Result<SetJoinStats> set_cross_join(const SetSide& first, const SetSide& second,
                                    const sketch::Tables& tables, const SetJoinOptions& options,
                                    ThreadPool& pool, const CrossPairs& sink,
                                    const std::function<void(double share)>& progress = nullptr);

}  // namespace kith::similar
