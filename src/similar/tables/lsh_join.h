// All pairs by LSH tables: every similarity is exact, recall is what the tables give
// (docs/algorithms/pairs.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/sites.h"
#include "similar/tables/bucket_scan.h"
#include "similar/top_lists.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"
#include "storage/file_system.h"

namespace kith::similar {

struct LshJoinOptions {
  uint32_t min_sum = 0;  // what counts as similar; 0: nothing is counted or given to the sink
  uint32_t top = 20;     // K; 0: none
  // A pair is a candidate when its low bytes agree so often as those of a pair at the threshold do
  // but for this probability,
  double plane_miss = 1e-4;
  // and, where the K nearest are asked for, whatever their sums, and not refined, as those of a
  // pair at near_share of the threshold's similarity do but for this one. A plane tells low
  // similarities apart badly, and most collisions are of that kind: both buy speed with the
  // neighbours that are worth least.
  double near_share = 0.6;
  double near_miss = 0.1;
  // Whether the lists get the nearest among the bags that share rare words and among the neighbours
  // of neighbours (refinement.h) as well.
  // Degrees and pairs are those of the tables in any case.
  bool refine = false;
  // Whether the lists, of other hosts too, have pairs with sum >= min_sum only. Tables are made for
  // these: rare words are not looked at then.
  bool similar_only = false;
  // The least bound of a bucket (bucket_scan.h raises it), at least 2.
  uint32_t largest_bucket = similar::largest_bucket;
  OtherSites other_sites = {};
  // Only pairs of one class are similar: the degrees. `groups` must be of the same classes. Lists
  // and pairs are of all. Not with a sink.
  Classes classes = {};
  // For what the join takes besides 16 bytes for every id. With a limit `fs` and `scratch`, a
  // folder for temporary files, must be given.
  Budget memory = {};
  storage::FileSystem* fs = nullptr;
  std::string scratch = {};
};

struct LshJoinResult {
  // By id, as in ExactJoinResult, of the pairs that were found; cut at UINT32_MAX.
  std::vector<uint32_t> degree;
  // The K nearest of every representative that were found; see expand_nearest().
  NearestLists nearest;
  // The same on other hosts, if these are asked for; see expand_other_sites(), and for other
  // members of a group list_of_member().
  NearestLists other_sites;
  PairCounts counts;
};

// The count of equal low bytes, of `lanes`, that makes a colliding pair a candidate.
uint32_t min_candidate_count(const LshJoinOptions& options, uint32_t lanes);

// Joins the representatives of non-empty bags. A pair is a candidate when it shares a bucket of
// some table and reaches min_candidate_count(); the exact sum of every candidate is taken, and
// the degrees, the K nearest and the pairs are those of the candidates. A bucket over the bound is
// split by the values of further lanes, one at a time, and, where all lanes agree, by bits of a
// hash of the id; a pair that a split separates can still meet in another table.
// Bags of a large bucket that are so close to one of it that they are similar to each other
// (close_pivot_rule()) are not separated. With a sink all their pairs are compared, and given to
// it; without one they count as similar, and their nearest are those of samples of them. That takes
// up to 6 bytes for every id more. signatures: rows by id for all bags; lanes as in
// tables.params(). The result is the same for any number of threads and, except for counts.blocks,
// any memory: what does not fit is done block by block, each block of ids with itself and with each
// later one. An error of kind usage when the memory is below min_lsh_join_memory().
Result<LshJoinResult> lsh_join(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                               const sketch::Signatures& signatures, const sketch::Tables& tables,
                               const LshJoinOptions& options, ThreadPool& pool,
                               const PairRunSink& sink = nullptr,
                               const JoinProgress& progress = nullptr);

// The least memory of LshJoinOptions that lsh_join() does with, for signatures of so many lanes and
// lists of so many neighbours in all, refined or not.
uint64_t min_lsh_join_memory(const sketch::BagCollection& bags, uint32_t lanes, uint32_t top,
                             bool refine = false);

}  // namespace kith::similar
