// Some sets against all others, exactly: what the recall of a join is measured by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pairs/hash_sets.h"
#include "pairs/pair_rule.h"
#include "pairs/set_pair.h"
#include "parallel/thread_pool.h"

namespace kith::pairs {

// Every pair of a query and another of `ids` that is similar by the rule, ascending by query and
// then by the other, as {query, other, common}; a pair of two queries comes twice. Time is one
// look-up for each element of `ids`, in one pass over the sets for as many queries as fit into
// `memory` bytes (0: all at once). queries: some of `ids`, both ascending, no empty sets among
// them.
std::vector<SetPair> similar_to(const HashSets& sets, std::span<const uint32_t> ids,
                                std::span<const uint32_t> queries, const PairRule& rule,
                                ThreadPool& pool, uint64_t memory = 0);

// The same across two collections: the queries are sets of `query_sets`, the others of `sets`.
std::vector<SetPair> similar_across(const HashSets& query_sets, std::span<const uint32_t> queries,
                                    const HashSets& sets, std::span<const uint32_t> ids,
                                    const PairRule& rule, ThreadPool& pool, uint64_t memory = 0);

}  // namespace kith::pairs
