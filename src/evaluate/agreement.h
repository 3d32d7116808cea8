// How well a partition of items agrees with their labels: ARI, NMI, AMI, purity, pairs, B-cubed
// (docs/algorithms/evaluate.md). Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "kith/evaluate.h"

#include "evaluate/label_table.h"

namespace kith::evaluate {

// clusters[i]: the cluster of item i; any values. REQUIRES: as many as labels has items.
Agreement measure_agreement(std::span<const uint32_t> clusters, const LabelSets& labels);

// The same, of one label an item. REQUIRES: equal sizes.
Agreement measure_agreement(std::span<const uint32_t> clusters, std::span<const uint32_t> labels);

// Extended B-cubed (Amigo, Gonzalo, Artiles and Verdejo 2009), and pairs of items that share a
// label. Pure functions, thread-safe.
struct Bcubed {
  double precision = 1;
  double recall = 1;
};

// clusters[i]: the one cluster of item i. REQUIRES: as many as labels has items. With one label an
// item it takes n log n; with several, for each label the square of the number of different sets
// of labels that have it.
Bcubed measure_bcubed(std::span<const uint32_t> clusters, const LabelSets& labels);

// Pairs of different items that share a label. At the same cost.
uint64_t count_sharing_pairs(const LabelSets& labels);
// Of these, the pairs in one cluster.
uint64_t count_sharing_pairs(std::span<const uint32_t> clusters, const LabelSets& labels);

}  // namespace kith::evaluate
