// All pairs that are similar, by the exact engine (tiled_index.h): recall is 1.
#pragma once

#include <cstdint>
#include <string>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::similar {

struct ExactPairOptions {
  uint32_t min_sum = 0;  // what is similar; 0: nothing
  // For what the join takes besides 12 bytes for every id. With a limit `fs` and `scratch`, a
  // folder for temporary files, must be given.
  Budget memory = {};
  storage::FileSystem* fs = nullptr;
  std::string scratch = {};
};

// Gives the pairs of all ids to the sink. Where an index of all bags fits the memory, with lists of
// as many pairs as a few ids per thread can have, every id is looked up, ascending, and its pairs
// are given at once. Otherwise the pairs of distinct bags are found block by block
// (exact_blocks.h), and sorted in files. The pairs are the same for any number of threads and any
// memory. An error of the sink ends the join; one of kind usage says that the memory is too small
// for either, and how much is enough.
Status exact_pairs(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                   const ExactPairOptions& options, ThreadPool& pool, const PairSink& sink);

}  // namespace kith::similar
