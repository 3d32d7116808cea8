// CENTER without a pair file: the fast path (docs/algorithms/center.md).
//
// Each id, in scan order, asks an index of the leaders so far for those it is similar to. It
// joins the earliest of them, or becomes a leader and enters the index. That is CENTER on the
// graph whose edges the index would show. The leaders are a maximal independent set of that graph.
//
// The result is the same for any stretch and any number of threads, and depends on nothing
// but the arguments. See docs/algorithms/center.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "cluster/lsh_buckets.h"
#include "cluster/order.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::cluster {

// Of a pair that has passed the plane, in the lists of a worker, of all, and while these are
// sorted.
inline constexpr uint64_t pair_bytes = 32;

struct LeaderOptions {
  uint32_t min_sum = 0;  // similar means A >= min_sum; at least 1
  Assign assign = Assign::first;
  size_t stretch = 4096;  // ids that ask all earlier leaders at once; > 0
  // lsh_leaders() only; none of these but the first changes the result.
  double plane_miss = 0.01;       // see there; in [0, 1)
  size_t max_leaders = SIZE_MAX;  // in memory at a time, give or take a stretch; >= 1
  // Pairs of the unsettled of a stretch that are compared at once, >= 1; and pairs with leaders
  // that may pass at once, give or take some hundred rows. One that passes takes pair_bytes until
  // it is decided.
  uint64_t max_pairs = uint64_t{1} << 24;
  uint64_t max_found = UINT64_MAX;
  // exact_leaders() only, and without a part in the result: bytes that the leaders in memory at a
  // time may take, give or take a stretch.
  uint64_t max_bytes = UINT64_MAX;
  // exact_leaders() only: those of lsh_leaders() come with the buckets.
  similar::Classes classes = {};
};

// What it took; the same for any number of threads, but not for any stretch.
struct LeaderStats {
  uint64_t phases = 0;      // times that leaders filled the memory, the last time included
  uint64_t leaders = 0;     // all centers, empty bags included
  uint64_t probes = 0;      // questions put to an index
  uint64_t candidates = 0;  // lsh: leaders looked at on the 8-bit plane
  uint64_t merges = 0;      // bags compared entry by entry; lsh, Assign::first: for any stretch too
};

struct LeaderResult {
  Clustering clustering;  // of size bags.size(); no_center for ids that are not in the order
  LeaderStats stats;
};

// Called with the share of the work that is done, in [0, 1], from the calling thread.
using LeaderProgress = std::function<void(double share)>;

// Edges: all pairs of one class with A >= min_sum. The leaders stand in a similar::InvertedIndex;
// when they take more than max_bytes, they come in phases (leader/scan.h), and the rows pass by as
// often. n: ids are below it. rows: in scan order; representatives only, where duplicates have been
// collapsed. An empty bag becomes a single. Errors: those of reading the rows.
// Memory besides: 8 bytes per id, max_bytes, 32 bytes per id of a stretch, and 128 KiB per thread.
Result<LeaderResult> exact_leaders(size_t n, OrderedRows& rows, const LeaderOptions& options,
                                   ThreadPool& pool, const LeaderProgress& progress = nullptr);

// Bytes that lsh_leaders() takes for a leader, its entries in tables included, if it is in as many
// tables as the average of so many ids. row_bytes: of the copy of its row, where rows do not stay.
uint64_t leader_bytes(double row_bytes, const LshBuckets& buckets, size_t ids);
// Bytes that lsh_leaders() takes for the directories of its tables, however many leaders there are.
uint64_t directory_bytes(const LshBuckets& buckets);
// Bytes that lsh_leaders() takes for an id of a stretch, at most.
uint64_t asking_bytes(const sketch::TableParams& tables);

// Edges: the pairs that meet in at least one table of `buckets`, have so many equal bytes on the
// 8-bit plane that a pair at min_sum has fewer with a probability of at most plane_miss, and have
// A >= min_sum: what the plane lets through has been compared on the bags.
// The leaders stand in l tables and are compared from copies of their own rows. When there
// are more than max_leaders, they come in phases (leader/scan.h), and the rows pass by as often.
// n: ids are below it. rows: in scan order, with signatures of as many lanes as the tables have;
// all that are not empty are among the ids that `buckets` are of. Errors: those of reading the
// rows. Memory besides: 8 bytes per id, leader_bytes() a leader, asking_bytes() an id of a stretch,
// and directory_bytes().
Result<LeaderResult> lsh_leaders(size_t n, OrderedRows& rows, const LshBuckets& buckets,
                                 const LeaderOptions& options, ThreadPool& pool,
                                 const LeaderProgress& progress = nullptr);

}  // namespace kith::cluster
