// Extended B-cubed (Amigo, Gonzalo, Artiles and Verdejo 2009), and pairs of items that share a
// label. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "evaluate/label_sets.h"

namespace kith::evaluate {

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
