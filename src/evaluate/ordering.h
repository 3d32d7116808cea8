// Goodman and Kruskal's gamma between the order of a list by similarity and the order by familial
// distance in a tree of classes (Haveliwala, Gionis, Klein and Indyk 2002;
// docs/algorithms/evaluate.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kith/evaluate.h"

#include "evaluate/label_tree.h"

namespace kith::evaluate {

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

}  // namespace kith::evaluate
