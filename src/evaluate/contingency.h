// The contingency table of two partitions, and the sums over it that measures of agreement need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kith::evaluate {

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

}  // namespace kith::evaluate
