// How well partitions, orders and trees of items agree with their labels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

// How well a tree of items agrees with their labels.

// Dendrogram purity (Heller and Ghahramani, Bayesian hierarchical clustering, 2005): the mean over
// all pairs of items with one label of the share of items with that label below the lowest node
// that both are below. (0, 1]; nothing where no two items share a label.
// parent: by node; that of every node but the first, the root, comes before it. node: by item,
// where it hangs; label: by item. REQUIRES: as many nodes of items as labels. Pure, thread-safe;
// takes items x depth x log.
std::optional<double> dendrogram_purity(std::span<const uint32_t> parent,
                                        std::span<const uint32_t> node,
                                        std::span<const uint32_t> label);

// Goodman and Kruskal's gamma between the order of a list by similarity and the order by familial
// distance in a tree of classes (Haveliwala, Gionis, Klein and Indyk 2002;
// docs/algorithms/evaluate.md).

// How far a class is from that of a source: 0 the same class or one below it, 1 a sibling class, 2
// a cousin class, and so on; `unrelated` where only the root has both.
inline constexpr uint32_t unrelated = max_label_depth;

// Of items with several classes it is the minimum of all pairs. REQUIRES: no class is the root.
uint32_t familial_distance(const LabelTree& tree, std::span<const uint32_t> source,
                           std::span<const uint32_t> other);

struct RankedItem {
  double similarity;
  uint32_t distance;  // as familial_distance() says
};

// Adds up lists. Not thread-safe.
class OrderCounter {
 public:
  // One list, by descending similarity.
  void add(std::span<const RankedItem> list);
  FamilialOrder order() const;

 private:
  static constexpr size_t distances = unrelated + 1;
  using Counts = std::array<uint64_t, distances>;
  void count(const Counts& nearer, const Counts& tied);

  // Pairs by the distances of the more similar one and of the other.
  std::array<Counts, distances> pairs_{};
};

// Precision of ranked lists.
inline constexpr std::array<uint32_t, 4> precision_ranks{1, 5, 10, 20};

// Adds up lists. Not thread-safe.
class PrecisionCounter {
 public:
  // One list, best first: whether each entry is right.
  void add(std::span<const uint8_t> is_right);
  RankingPrecision precision() const;

 private:
  struct Sum {
    double precision = 0;
    uint64_t full = 0;
  };
  std::array<Sum, precision_ranks.size()> sums_;
  uint64_t lists_ = 0;  // that are not empty
  uint64_t empty_ = 0;
};

}  // namespace kith::evaluate
