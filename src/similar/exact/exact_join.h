// All pairs by the exact engine (tiled_index.h): recall is 1.
#pragma once

#include <cstdint>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/exact/question.h"
#include "similar/neighbour.h"
#include "similar/top_lists.h"
#include "sketch/bag.h"

namespace kith::similar {

// Queries that go through the index together, at most.
inline constexpr size_t exact_join_batch = 256;

struct ExactJoinOptions {
  uint32_t min_sum = 0;  // what counts as similar: min_sum_of_minima(similarity); 0: nothing
  uint32_t top = 20;     // K, whatever the sums unless similar_only
  // With a sink: bytes that the lists of pairs may take, of which one id may have as many as there
  // are ids; 0: whatever they take.
  uint64_t memory = 0;
  OtherSites other_sites = {};  // not with a sink
  // Whether the nearest, on other hosts too, are those with sum >= min_sum only.
  bool similar_only = false;
  Classes classes = {};  // `groups` must be of the same; the nearest are of all
};

struct ExactJoinResult {
  // By id: how many others have sum >= min_sum, duplicates counted one by one. 0 for empty bags.
  std::vector<uint64_t> degree;
  // The K nearest of every representative among the representatives; expand_nearest() gives the
  // list of any id among all ids. Ties: the smaller id is nearer (neighbour.h).
  TopLists nearest;
  // The K nearest on other hosts, of the representatives and of further_lists();
  // expand_other_sites() gives the list of any id. Not made unless they are asked for.
  TopLists other_sites;
  uint64_t pairs = 0;  // with sum >= min_sum: half the sum of the degrees
  QueryWork work;
};

// Joins all bags with themselves. The work is done once per group of equal bags, except that a
// sink has every member looked up. The result is the same for any number of threads. Memory: the
// index (tiled_index.h), n * (8 K + 20) bytes for the result, as much for a list of other hosts,
// 4 MiB per thread, and with a sink the
// pairs of 256 ids per thread, or of as many as options.memory has room for but at least one a
// thread; no list of all pairs is ever held.
Result<ExactJoinResult> exact_join(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                                   const ExactJoinOptions& options, ThreadPool& pool,
                                   const PairSink& sink = nullptr,
                                   const JoinProgress& progress = nullptr);

}  // namespace kith::similar
