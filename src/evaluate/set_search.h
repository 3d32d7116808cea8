// Some sets against all others, exactly: what the recall of a join is measured by.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_pairs.h"

namespace kith::evaluate {

// A query, by its number among the queries, and a set that is similar to it.
struct FoundSet {
  uint32_t query;
  uint32_t id;
  uint32_t common;  // elements in both
};

// Receives what is found, in no certain order, from all workers of the pool at a time.
using FoundSets = std::function<void(const FoundSet& found, unsigned worker)>;

// Finds every pair of a query and another of `ids` that is similar by the rule; a pair of two
// queries comes twice. Time is one look-up for each element of `ids`, in one pass over the sets for
// as many queries as fit into `memory` bytes (0: all at once). queries: some of `ids`, both
// ascending, no empty sets among them.
void find_similar(const similar::HashSets& sets, std::span<const uint32_t> ids,
                  std::span<const uint32_t> queries, const similar::PairRule& rule,
                  ThreadPool& pool, uint64_t memory, const FoundSets& found);

// The same across two collections: the queries are sets of `query_sets`, the others of `sets`.
void find_similar_across(const similar::HashSets& query_sets, std::span<const uint32_t> queries,
                         const similar::HashSets& sets, std::span<const uint32_t> ids,
                         const similar::PairRule& rule, ThreadPool& pool, uint64_t memory,
                         const FoundSets& found);

}  // namespace kith::evaluate
