// How well orders and trees agree with labels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "kith/evaluate.h"

#include "evaluate/label_table.h"

namespace kith::evaluate {

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
