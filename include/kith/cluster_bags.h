// What `kith cluster` does with its bags, for bags in memory: no files, no folders
// (docs/algorithms/lsh.md, pairs.md, center.md).
//
//   const auto bags = kith::Bags::make({offsets, terms, weights});
//   const auto found = kith::cluster_bags(*bags, {.similarity = 0.2});
//   for (size_t i = 0; i < bags->size(); ++i) ... found->center[i] ...
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kith/bags.h"
#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Fields, ranges and defaults are those of ClusterOptions.
struct BagClusterOptions {
  std::optional<double> similarity = {};  // the threshold, (0, 1]; nothing means: follow the bags
  double recall = 0.9;                    // of pairs at the threshold, with the LSH engine, (0, 1)
  EngineChoice engine = EngineChoice::automatic;  // not paper
  uint32_t lanes = 128;                           // m: a multiple of 16 in [16, 1024]
  uint32_t max_tables = 512;                      // [1, 1024]
  uint32_t min_words = 5;          // a bag of fewer terms joins its copies alone, >= 1
  Order order = Order::automatic;  // not inlinks
  Assign assign = Assign::first;
  uint64_t seed = 1;
  unsigned threads = 0;  // 0: one per processor
};

// The first field that is out of range, as an error of kind usage.
Status validate(const BagClusterOptions& options);

struct BagClusters {
  // By bag; the own number for a center, which may be alone. A bag of fewer than min_words terms is
  // in a cluster with its copies alone.
  std::vector<uint32_t> center;
  std::vector<double> similarity;  // with the center, exact; 1 for a center
  ThresholdReport threshold;       // and how it was chosen
  EngineReport engine;
  uint64_t duplicates = 0;  // bags with the same entries as an earlier one
};

// The clusters that `kith cluster` with these options makes of the same bags in the same order,
// where no page is a list of links.
// The result does not depend on the threads. progress: see progress.h. Memory: with the exact
// engine some 12 bytes an entry, with the tables 2 bytes a lane and up to 16 a table for each bag.
// Errors: of kind usage, memory and cancelled.
Result<BagClusters> cluster_bags(const Bags& bags, const BagClusterOptions& options = {},
                                 const ProgressCallback& progress = {});

}  // namespace kith

#pragma GCC visibility pop
