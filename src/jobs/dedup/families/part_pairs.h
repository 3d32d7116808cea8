// All similar pairs of documents that meet in whole parts, for those who ask for them
// (docs/algorithms/near-duplicates.md, "Large buckets").
#pragma once

#include <functional>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/families/whole_parts.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/pair_rule.h"
#include "similar/sets/set_pair.h"

namespace kith::jobs {

// Receives a pair, a < b; an error ends the search.
using PartPairSink = std::function<Status(const similar::SetPair& pair)>;

// Gives every pair of representatives that share a part, are a candidate by `meeting` and a pair by
// `rule`: each once, ascending by a, then by b. Time: the pairs that share a part. Memory: a few
// MiB, however many pairs there are.
Status for_each_part_pair(const WholeParts& parts, const similar::HashSets& sets,
                          const MeetingRule& meeting, const similar::PairRule& rule,
                          ThreadPool& pool, const PartPairSink& sink);

}  // namespace kith::jobs
