// The oracle: compares some bags with all bags. No pruning, no hashing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "evaluate/similarity_histogram.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "sketch/bag.h"

namespace kith::evaluate {

// What is true about one query: its neighbours among all bags except itself.
struct QueryTruth {
  uint32_t id = 0;
  uint64_t degree = 0;                      // the number with sum >= min_sum; 0 when min_sum is 0
  std::vector<similar::Neighbour> similar;  // these, by id; empty unless they were to be listed
  std::vector<similar::Neighbour> nearest;  // the K nearest with a sum > 0, nearest first
  SimilarityHistogram histogram{};          // over the bags of other groups, each group once
};

struct BruteForceResult {
  std::vector<QueryTruth> queries;  // in the order of the query ids
};

struct BruteForceOptions {
  uint32_t min_sum = 0;  // 0: nothing is similar
  uint32_t top = 20;
  bool list_similar = true;  // else only counted: a list may be as long as the collection
  similar::Classes classes =
      {};  // a query is compared with bags of its class; histograms are of all
  // When given, histograms are made, which count equal bags once; it outlives the call.
  const similar::DuplicateGroups* histogram_groups = nullptr;
};

// Deterministic for any number of threads. Every 256 queries take one pass over the entries of all
// bags, which are released behind it (BagCollection::release).
BruteForceResult brute_force(const sketch::BagCollection& bags, std::span<const uint32_t> queries,
                             const BruteForceOptions& options, ThreadPool& pool);

// Some consecutive bags of a collection, the first of which has the id `first`.
struct BagSlice {
  const sketch::BagCollection* bags = nullptr;
  uint32_t first = 0;
};

// The same for a collection that lies in slices: what is true about the queries, bags with these
// ids, in one slice. histogram_groups are those of the slice, by places in it: a group has its
// representative in one of the slices. Of a slice nothing is taken away in the histograms:
// leave_out_own_groups() does that for the sum of all slices.
BruteForceResult brute_force(const BagSlice& slice, const sketch::BagCollection& queries,
                             std::span<const uint32_t> query_ids, const BruteForceOptions& options,
                             ThreadPool& pool);

// No query is of another group than itself. REQUIRES: none is empty.
void leave_out_own_groups(BruteForceResult& result);

// `count` different numbers below n, ascending; all of them where there are no more. Memory: some
// 40 bytes for each.
std::vector<uint64_t> sample_places(uint64_t n, size_t count, uint64_t seed);

// A seeded sample of the ids of non-empty bags (by id, is_wanted != 0; empty: all), ascending,
// without repeats: all of them when there are no more than `count`.
std::vector<uint32_t> sample_queries(const sketch::BagCollection& bags, size_t count, uint64_t seed,
                                     std::span<const uint8_t> is_wanted = {});

}  // namespace kith::evaluate
