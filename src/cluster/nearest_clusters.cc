#include "cluster/nearest_clusters.h"

#include <algorithm>
#include <atomic>

namespace kith::cluster {

NearestClusters::NearestClusters(const ClusterLists& lists, size_t ids)
    : cluster_of_(ids, none), best_(lists.groups(), 0) {
  for (size_t cluster = 0; cluster < lists.groups(); ++cluster) {
    for (const uint32_t id : lists[cluster]) cluster_of_[id] = static_cast<uint32_t>(cluster);
  }
}

void NearestClusters::add(uint32_t id, std::span<const similar::Neighbour> neighbours) {
  const uint32_t own = cluster_of_[id];
  if (own == none) return;
  // Most similar first: the first one elsewhere is the best, with those of the same similarity.
  uint64_t best = 0;
  for (const similar::Neighbour& near : neighbours) {
    if (near.sum_of_minima < best >> 32) break;
    const uint32_t other = cluster_of_[near.id];
    if (other == own || other == none) continue;
    best = std::max(best, uint64_t{near.sum_of_minima} << 32 | uint32_t{~other});
  }
  std::atomic_ref<uint64_t> shared(best_[own]);
  uint64_t before = shared.load(std::memory_order_relaxed);
  while (before < best && !shared.compare_exchange_weak(before, best, std::memory_order_relaxed)) {
  }
}

std::vector<uint32_t> NearestClusters::finish() const {
  std::vector<uint32_t> nearest(best_.size(), none);
  for (size_t cluster = 0; cluster < best_.size(); ++cluster) {
    if (best_[cluster] != 0) nearest[cluster] = ~static_cast<uint32_t>(best_[cluster]);
  }
  return nearest;
}

}  // namespace kith::cluster
