// All pairs of a set of one collection and one of another by their exact resemblance: what
// set_join.h is within a collection.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_join.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::similar {

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
