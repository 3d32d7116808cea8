// All pairs by LSH tables: every similarity is exact, recall is what the tables give
// (DESIGN.md section 2, "All pairs"; docs/algorithms/pairs.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/status.h"

#include "lsh/tables.h"
#include "pairs/duplicates.h"
#include "pairs/exact_join.h"
#include "pairs/neighbour.h"
#include "pairs/top_lists.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::pairs {

struct LshJoinOptions {
  uint32_t least_sum = 0;  // what counts as similar; 0: nothing is counted or given to the sink
  uint32_t top = 20;       // K; 0: none
  // On the 8-bit plane a similar pair is dropped with at most this probability,
  double plane_miss = 1e-6;
  // and a pair below the floor that belongs among the K nearest with at most this one. It buys
  // speed: a plane tells low similarities apart badly, and most collisions are of that kind.
  double near_miss = 0.01;
  // A bucket of more distinct bags than this is split by further coordinates; at least 2.
  uint32_t largest_bucket = 4096;
};

struct LshJoinStats {
  uint64_t collisions = 0;     // pairs compared on the plane, repeats in later tables included
  uint64_t passed = 0;         // of these, passed the plane
  uint64_t first = 0;          // of these, in their first table
  uint64_t similar = 0;        // pairs of distinct bags with sum >= least_sum
  uint64_t split_buckets = 0;  // buckets over the bound, over all tables
  uint64_t split_members = 0;  // ids in them, over all tables
  uint64_t largest_bucket = 0;
};

struct LshJoinResult {
  // By id, as in ExactJoinResult, of the pairs that were found.
  std::vector<uint64_t> degree;
  // The K nearest of every representative that were found; see expand_nearest().
  TopLists nearest;
  // By id of a representative, 0 for the others: the sum over the tables of (bucket size - 1),
  // duplicates counted one by one.
  std::vector<uint64_t> mass;
  LshJoinStats stats;
};

// Receives similar pairs of distinct bags, a < b both representatives, sorted, once per table and
// each pair in one table only; from one thread at a time. An error ends the join.
using PairRunSink = std::function<Status(std::span<const Pair> sorted)>;

// Joins the representatives of non-empty bags table by table: radix sort by key, compare the
// members of each bucket. A pair counts in the first table where it is compared. It passes on the
// 8-bit plane if it may be similar or among the K nearest of either (as these stood before the
// table), then the exact sum decides. A bucket over the bound is split by the values of further
// lanes, one at a time, and, where all lanes agree, by bits of a hash of the id; a pair that a
// split separates can still meet in another table.
// signatures, plane: rows by id for all bags; lanes as in tables.params().
// The result is the same for any number of threads. Memory besides the result: 32 bytes a bag,
// 16 a pair of one table, 2 a bag for each table with a split bucket.
Result<LshJoinResult> lsh_join(const BagCollection& bags, const DuplicateGroups& groups,
                               const Signatures& signatures, const SignaturePlane& plane,
                               const lsh::Tables& tables, const LshJoinOptions& options,
                               ThreadPool& pool, const PairRunSink& sink = nullptr,
                               const JoinProgress& progress = nullptr);

// Turns pairs of representatives, in any order, each once, into the pairs of all ids: duplicates
// expanded and sorted, given to the sink as exact_join() does. Pairs of equal bags are included.
// Memory: 16 bytes a pair.
Status expand_pairs(std::span<const Pair> pairs, const DuplicateGroups& groups, ThreadPool& pool,
                    const PairSink& sink);

}  // namespace kith::pairs
