// The recall of a join: of some sets against all others, exactly, and of a sample, with how sure
// that is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/parallel/thread_pool.h"
#include "base/random.h"
#include "evaluate/brute_force.h"
#include "similar/neighbour.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_pairs.h"
#include "sketch/estimate.h"

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

// Documents drawn at random.

// `count` different ones of the ids, ascending; all if there are no more.
inline std::vector<uint32_t> sample_ids(std::span<const uint32_t> ids, uint32_t count,
                                        uint64_t seed) {
  if (ids.size() <= count) return {ids.begin(), ids.end()};
  boost::unordered_flat_set<uint32_t> taken;
  Rng rng(seed);
  while (taken.size() < count) taken.insert(ids[rng.below(ids.size())]);
  std::vector<uint32_t> sampled(taken.begin(), taken.end());
  std::ranges::sort(sampled);
  return sampled;
}

// How sure a measured recall is.

// The upper bound, of confidence 0.95, of the mean share that is found of what there is for a
// query, by the sum of these shares over so many sampled queries; 1 for none. What there is for one
// query is found or lost together, so queries are what is drawn: their shares spread less than hits
// and misses of the same mean would (Clopper and Pearson's bound is then on the safe side).
inline double recall_upper_bound(double sum_of_shares, uint64_t queries) {
  constexpr double both_sides = 0.9;
  if (queries == 0) return 1;
  const auto hits = static_cast<uint64_t>(std::ceil(sum_of_shares));
  return sketch::share_bounds(std::min(hits, queries), queries, both_sides).upper;
}

// Measures what a run found against the truth about a sample of queries.

// A count of hits, with what it is a share of.
struct Share {
  uint64_t hits = 0;
  uint64_t of = 0;
  // 1 when there was nothing to hit.
  double value() const {
    return of == 0 ? 1.0 : static_cast<double>(hits) / static_cast<double>(of);
  }
};

struct RecallReport {
  uint64_t queries = 0;
  Share pair_recall;               // true pairs (sum >= min_sum) that were found
  Share pair_precision;            // found pairs that are true, with the exact sum
  Share neighbour_recall;          // of the true K nearest
  Share similar_neighbour_recall;  // of those of them with sum >= min_sum
  Share neighbour_precision;       // of the neighbours given
};

// Appends what the engine found for a query; the order does not matter.
using Found = std::function<void(uint32_t query, std::vector<similar::Neighbour>& out)>;

// A found pair is right if its id is among the true ones with the same sum. A neighbour is right
// if its sum is the true one and at least that of the K-th true neighbour, whichever of the bags
// that tie at rank K it is; no more than K count. `pairs` or `neighbours` may be null: then that
// half stays empty. `truth` was made with the minimum sum and the K of the engine. `sum` gives the
// exact sum of two ids.
RecallReport check_recall(const BruteForceResult& truth, const Found& pairs,
                          const Found& neighbours, uint32_t min_sum,
                          const std::function<uint32_t(uint32_t, uint32_t)>& sum);

}  // namespace kith::evaluate
