// The exact engine where an index of all bags does not fit the memory: the ids are cut into blocks,
// each of which is indexed, and asked by other ids. The results are the same for any number of
// threads and any memory. An error of kind usage when the memory is below
// min_exact_block_memory().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/nearest_lists.h"
#include "similar/pair_sink.h"
#include "similar/sites.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::similar {

// Bytes that exact_join() takes at most to index and to compare the bags, with those of the bags
// themselves, by so many threads; its lists of neighbours and pairs are not in it.
uint64_t exact_join_bytes(const sketch::BagCollection& bags, unsigned threads);

// The least memory of ExactBlockOptions: it makes for 64 blocks.
uint64_t min_exact_block_memory(const sketch::BagCollection& bags, const DuplicateGroups& groups);

struct ExactBlockOptions {
  uint32_t min_sum = 0;  // what counts as similar; 0: nothing
  uint64_t memory = 0;   // bytes that the join may take besides 12 for every id
  // Of exact_nearest_in_blocks(), as in ExactJoinOptions.
  Classes classes = {};
  bool similar_only = false;
};

// Gives the pairs of distinct bags, a < b both representatives, to the sink: each once, in any
// order. Every block is asked by itself and all earlier ones. An error of the sink ends it.
Status exact_join_in_blocks(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                            const ExactBlockOptions& options, ThreadPool& pool,
                            const PairRunSink& sink);

struct ExactBlockResult {
  // As in ExactJoinResult; degrees are cut at UINT32_MAX.
  std::vector<uint32_t> degree;
  NearestLists nearest;
  NearestLists other_sites;
};

// The degrees and the K nearest that exact_join() finds: every block is asked by all ids. Their
// lists lie in files of the folder where they take more than a quarter of the memory.
Result<ExactBlockResult> exact_nearest_in_blocks(
    const sketch::BagCollection& bags, const DuplicateGroups& groups, uint32_t top,
    const ExactBlockOptions& options, storage::FileSystem& fs, const std::string& folder,
    ThreadPool& pool, const JoinProgress& progress = nullptr, const OtherSites& others = {});

}  // namespace kith::similar
