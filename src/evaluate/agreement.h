// How well a partition of items agrees with their labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/evaluate.h"

#include "evaluate/label_table.h"

namespace kith::evaluate {

// The contingency table of two partitions, and the sums over it that measures of agreement need.

// A cluster and a label with at least one item in common; numbers from 0.
struct Cell {
  uint32_t row;
  uint32_t column;
  uint64_t items;
};

struct Contingency {
  std::vector<Cell> cells;        // ascending by row, then column
  std::vector<uint64_t> rows;     // items by cluster
  std::vector<uint64_t> columns;  // items by label
  uint64_t items = 0;

  // Whether both partitions are the same one.
  bool is_matching() const { return cells.size() == rows.size() && cells.size() == columns.size(); }
};

// Of any values. REQUIRES: equal sizes.
Contingency count_cells(std::span<const uint32_t> clusters, std::span<const uint32_t> labels);

// Pairs in groups of these sizes. Exact up to 2^32 items.
uint64_t count_pairs(std::span<const uint64_t> sizes);

// Mutual information, in nats.
double mutual_information(const Contingency& table);

// Entropy of a partition of `items` into these sizes, in nats.
double entropy(std::span<const uint64_t> sizes, uint64_t items);

// The mean of the mutual information over all pairs of partitions with these sizes (Vinh, Epps and
// Bailey 2010, equation 24a), in nats. REQUIRES: items > 0, and both lists add up to that.
double expected_mutual_information(std::span<const uint64_t> rows,
                                   std::span<const uint64_t> columns, uint64_t items);

// How well a partition of items agrees with their labels: ARI, NMI, AMI, purity, pairs, B-cubed
// (docs/algorithms/evaluate.md). Pure functions, thread-safe.

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
