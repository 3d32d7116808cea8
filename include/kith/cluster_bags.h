// Clusters of what is in memory: of bags as `kith cluster` makes them, and of given pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kith/bags.h"
#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// What `kith cluster` does with its bags, for bags in memory: no files, no folders
// (docs/algorithms/lsh.md, pairs.md, center.md).
//
//   const auto bags = kith::Bags::make({offsets, terms, weights});
//   const auto found = kith::cluster_bags(*bags, {.similarity = 0.2});
//   for (size_t i = 0; i < bags->size(); ++i) ... found->center[i] ...

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

// Clusters of ids from pairs of similar ones, however these were found
// (docs/algorithms/center.md).
//
//   const std::vector<kith::SimilarIds> pairs = {{0, 1, 0.9}, {1, 2, 0.8}};
//   const auto centers = kith::center_clusters(3, pairs);   // {1, 1, 1}

// Two ids and how similar they are.
struct SimilarIds {
  uint32_t a;
  uint32_t b;
  double similarity;
  friend bool operator==(const SimilarIds&, const SimilarIds&) = default;
};

struct CenterOptions {
  // The ids in the order in which they become centers, each once; empty: those with the most
  // distinct neighbours first, ties by id.
  std::span<const uint32_t> order = {};
  // Which center an id joins that has several among its neighbours; of equally similar ones the
  // earliest.
  Assign assign = Assign::first;
};

// CENTER (Haveliwala, Gionis, Indyk 2000) over the ids below n: in the order an id that has no
// neighbour among the centers so far becomes a center, and every other id joins such a neighbour.
// For every id its center; the own id for a center. Pairs may be given in any order and direction,
// and more than once; the greatest similarity counts. The result depends on the arguments only.
// Thread-safe. Memory: 32 bytes a pair. Errors of kind usage: an id that is not below n, a pair of
// an id with itself, a similarity that is no number, an order that is no permutation of the ids.
Result<std::vector<uint32_t>> center_clusters(uint32_t n, std::span<const SimilarIds> pairs,
                                              const CenterOptions& options = {});

// Connected components: for every id the least one of its component. Errors as above.
Result<std::vector<uint32_t>> components(uint32_t n, std::span<const SimilarIds> pairs);

}  // namespace kith

#pragma GCC visibility pop
