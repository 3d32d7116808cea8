// The nearest of every bag, and how many are similar to it, by the exact engine (tiled_index.h):
// recall is 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/exact/question.h"
#include "similar/neighbour.h"
#include "similar/top_lists.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::similar {

struct ExactJoinOptions {
  uint32_t min_sum = 0;  // what counts as similar: min_sum_of_minima(similarity); 0: nothing
  uint32_t top = 20;     // K, whatever the sums unless similar_only
  OtherSites other_sites = {};
  // Whether the nearest, on other hosts too, are those with sum >= min_sum only.
  bool similar_only = false;
  Classes classes = {};  // `groups` must be of the same; the nearest are of all
  // For what the join takes besides 12 bytes for every id. With a limit `fs` and `scratch`, a
  // folder for temporary files, must be given.
  Budget memory = {};
  storage::FileSystem* fs = nullptr;
  std::string scratch = {};
};

struct ExactJoinResult {
  // By id: how many others have sum >= min_sum, duplicates counted one by one, cut at UINT32_MAX.
  // 0 for empty bags.
  std::vector<uint32_t> degree;
  // The K nearest of every representative among the representatives; expand_nearest() gives the
  // list of any id among all ids. Ties: the smaller id is nearer (neighbour.h).
  NearestLists nearest;
  // The K nearest on other hosts, of the representatives and of further_lists();
  // expand_other_sites() gives the list of any id. Not made unless they are asked for.
  NearestLists other_sites;
  QueryWork work;
};

// Joins all bags with themselves, once per group of equal bags. Where an index of all of them and
// the lists fit the memory, the index is one block, and no file is written; otherwise see
// exact_blocks.h, and lists that take more than a quarter of the memory are in files. The result is
// the same for any number of threads and any memory, but for the work. An error of kind usage
// where the memory is too small for either; it names how much is enough.
Result<ExactJoinResult> exact_join(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                                   const ExactJoinOptions& options, ThreadPool& pool,
                                   const JoinProgress& progress = nullptr);

}  // namespace kith::similar
