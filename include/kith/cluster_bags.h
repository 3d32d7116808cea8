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
// Not by the engine paper, nor in the order of in-links. threads: 0 is one per processor; the
// result does not depend on it. progress: see progress.h. Memory: with the exact engine some 12
// bytes an entry, with the tables 2 bytes a lane and up to 16 a table for each bag. Errors: of kind
// usage, memory and cancelled.
Result<BagClusters> cluster_bags(const Bags& bags, const SimilarityOptions& options = {},
                                 unsigned threads = 0, const ProgressCallback& progress = {});

}  // namespace kith

#pragma GCC visibility pop
