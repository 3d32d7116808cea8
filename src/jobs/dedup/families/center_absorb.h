// What chance has kept apart from a large family joins it (docs/algorithms/near-duplicates.md,
// "Large buckets").
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/families/ranked_documents.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/pair_rule.h"
#include "similar/sets/set_pair.h"

namespace kith::jobs {

struct AbsorbOptions {
  uint32_t min_family = 64;    // documents of a group that others may join, at least 2
  uint32_t max_families = 64;  // the largest ones
  similar::PairRule rule;
};

// Of the largest families: a group, or a document alone, whose center comes after that of a family
// and is a pair with it joins the family if all its documents are pairs with the center of that. So
// a document that met none of its family by chance is not kept. `center` is by rank: the rank of
// the center, no_rank for a document alone. takes_part(id) says of a representative whether it may
// join; `pair` receives it with its new center (a < b). Returns the documents that have joined.
// The same for any number of threads. Time: documents alone and centers times families, and the
// documents that join.
Result<uint64_t> absorb_groups(const similar::HashSets& sets, const RankedDocuments& ranked,
                               const MeetingRule& meeting, const AbsorbOptions& options,
                               const std::function<bool(uint32_t id)>& takes_part, ThreadPool& pool,
                               std::vector<uint32_t>& center,
                               const std::function<Status(const similar::SetPair& pair)>& pair);

}  // namespace kith::jobs
