// Clusters of ids from pairs of similar ones, however these were found
// (docs/algorithms/center.md).
//
//   const std::vector<kith::SimilarIds> pairs = {{0, 1, 0.9}, {1, 2, 0.8}};
//   const auto centers = kith::center_clusters(3, pairs);   // {1, 1, 1}
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

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
