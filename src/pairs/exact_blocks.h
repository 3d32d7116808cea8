// All pairs by the exact engine where an index of all bags does not fit the memory.
#pragma once

#include <cstdint>

#include "kith/status.h"

#include "pairs/duplicates.h"
#include "pairs/lsh_join.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"

namespace kith::pairs {

// Bytes that exact_join() takes at most to index and to compare the bags, with those of the bags
// themselves; its lists of neighbours and pairs are not in it.
uint64_t exact_join_bytes(const BagCollection& bags);

struct ExactBlockOptions {
  uint32_t least_sum = 0;  // what counts as similar
  uint64_t memory = 0;     // bytes that the join may take besides 4 for every id
};

// Gives the pairs of distinct bags, a < b both representatives, to the sink: each once, in any
// order. The ids are cut into blocks; every block is indexed, and asked by itself and all earlier
// ones. The pairs are the same for any number of threads and any memory. An error of kind usage
// when the memory makes for more than 64 blocks; an error of the sink ends it.
Status exact_join_in_blocks(const BagCollection& bags, const DuplicateGroups& groups,
                            const ExactBlockOptions& options, ThreadPool& pool,
                            const PairRunSink& sink);

}  // namespace kith::pairs
