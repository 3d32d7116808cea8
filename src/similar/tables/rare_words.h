// Candidates that share words which stand in few bags: what neither LSH tables nor neighbours of
// neighbours find of the K nearest (docs/algorithms/pairs.md, "Rare words"). Internal to this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/query_weights.h"
#include "similar/sites.h"
#include "similar/top_lists.h"
#include "sketch/bag.h"

namespace kith::similar {

struct RareWordOptions {
  uint32_t top = 0;              // K of the lists, > 0
  uint32_t min_sum = 0;          // what counts as similar; 0: nothing
  OtherSites other_sites = {};   // whose lists are made better as well
  uint64_t term_limit = 0;       // above all terms
  uint64_t tabled_terms = 0;     // as in QueryWeights::set()
  Budget memory = {};            // for lists of words and for candidates
  bool bags_in_memory = true;    // else they are read one by one
  uint32_t max_postings = 8000;  // that are read for an id
  uint32_t max_candidates = 80;  // of an id, that are compared exactly
};

// What is made better: lists of representatives, finished, before and after.
struct RareWordLists {
  const sketch::BagCollection& bags;
  const DuplicateGroups& groups;
  NearestLists& nearest;
  NearestLists& other_sites;  // not looked at unless they are asked for
};

struct RareWordStats {
  uint64_t postings = 0;  // read
  uint64_t compared = 0;  // candidates, exactly
  uint64_t found = 0;     // of these, at the time nearer than the K-th of a list
  RareWordStats& operator+=(const RareWordStats& more);
};

// The sum of minima over rare words is a lower bound of the sum over all words. The other words are
// assumed to add so much at most: a heuristic, not a bound.
inline constexpr uint32_t sum_of_frequent_words = 5 * sketch::weight_one;
// The least K-th sum of a list that is good enough, if pairs from min_sum on are similar.
uint32_t good_sum(uint32_t min_sum);

// For every representative whose list is short, or whose K-th sum is below good_sum(): the lists of
// its words of the largest weight per bag, of as many as have max_postings in all, are read, and
// the minima of the weights added up. Of the ids that may enter a list, by their sum and
// sum_of_frequent_words, max_candidates with the largest sums, of equal sums the smaller ids, are
// compared exactly, until the rest may not. Every id changes its own lists only. The result depends
// on the lists and bags only, not on memory or threads. weights: one a worker.
Result<RareWordStats> find_by_rare_words(const RareWordLists& lists, const RareWordOptions& options,
                                         std::span<QueryWeights> weights, ThreadPool& pool);

}  // namespace kith::similar
