// External measures: how well clusters agree with a labelling that is known from elsewhere.
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace kith::test {

// Stands for "this id has no label"; such ids are left out of every measure.
inline constexpr uint32_t no_label = std::numeric_limits<uint32_t>::max();

// All values are 1 when the two partitions are equal, and when there is nothing to compare.
struct Quality {
  size_t ids = 0;  // that were counted
  // Rand index corrected for chance (Hubert, Arabie 1985): 0 expected for a random clustering
  // with the same sizes, may be negative.
  double adjusted_rand = 1;
  // Mutual information over the arithmetic mean of the two entropies, in [0, 1].
  double normalized_mutual_information = 1;
  // The share of ids that belong to the most frequent topic of their cluster, in (0, 1].
  double purity = 1;
  // Of the pairs in one cluster, the share of one topic; of the pairs of one topic, the share in
  // one cluster. In [0, 1].
  double pairwise_precision = 1;
  double pairwise_recall = 1;
};

// clusters[i] and topics[i] are what id i belongs to; any values but no_label, e.g.
// Clustering::center. REQUIRES: equal sizes.
Quality measure_quality(std::span<const uint32_t> clusters, std::span<const uint32_t> topics);

}  // namespace kith::test
