// Some sets against all others, exactly: what the recall of a join is measured by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pairs/hash_sets.h"
#include "pairs/set_join.h"
#include "parallel/thread_pool.h"

namespace kith::pairs {

// Every pair of a query and another of `ids` whose resemblance is at least `similarity`, ascending
// by query and then by the other, as {query, other, common}; a pair of two queries comes twice.
// Time is one look-up for each element of `ids`, in one pass over the sets. queries: some of
// `ids`, both ascending, no empty sets among them.
std::vector<SetPair> similar_to(const HashSets& sets, std::span<const uint32_t> ids,
                                std::span<const uint32_t> queries, double similarity,
                                ThreadPool& pool);

}  // namespace kith::pairs
