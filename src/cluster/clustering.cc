#include "cluster/clustering.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "base/parallel/radix_sort.h"
#include "sketch/bag.h"

namespace kith::cluster {

void Clustering::make_center(uint32_t id) {
  join(id, id, sketch::bag_total);
}

void Clustering::join(uint32_t id, uint32_t to_center, uint32_t sum) {
  center[id] = to_center;
  sum_of_minima[id] = sum;
}

ClusterLists::ClusterLists(const Clustering& clustering, ThreadPool& pool) {
  const size_t n = clustering.size();
  KITH_CHECK(n < no_center);
  std::vector<uint32_t> sizes(n, 0);
  for (uint32_t id = 0; id < n; ++id) {
    if (clustering.center[id] != no_center) ++sizes[clustering.center[id]];
  }
  std::vector<ShortKeyId> centers;  // largest first, then by id
  for (uint32_t id = 0; id < n; ++id) {
    if (clustering.is_center(id)) centers.push_back({~sizes[id], id});
  }
  {
    std::vector<ShortKeyId> scratch(centers.size());
    radix_sort(centers, scratch, pool);
  }
  std::vector<uint32_t> next = std::move(sizes);  // where the next member of a center goes
  offsets_.reserve(centers.size() + 1);
  offsets_.push_back(0);
  for (const auto& [key, id] : centers) {
    const uint32_t size = ~key;
    singles_ += size == 1;
    next[id] = static_cast<uint32_t>(offsets_.back());
    offsets_.push_back(offsets_.back() + size);
  }
  ids_.resize(offsets_.back());
  for (uint32_t id = 0; id < n; ++id) {
    if (clustering.center[id] != no_center) ids_[next[clustering.center[id]]++] = id;
  }
  constexpr size_t grain = 1 << 10;
  pool.for_chunks(groups(), grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t cluster = begin; cluster < end; ++cluster) sort_members(cluster, clustering);
  });
}

void ClusterLists::sort_members(size_t cluster, const Clustering& clustering) {
  const auto ids = std::span(ids_).subspan(offsets_[cluster], size_of(cluster));
  std::ranges::sort(ids, [&](uint32_t a, uint32_t b) {
    if (clustering.is_center(a) != clustering.is_center(b)) return clustering.is_center(a);
    if (clustering.sum_of_minima[a] != clustering.sum_of_minima[b]) {
      return clustering.sum_of_minima[a] > clustering.sum_of_minima[b];
    }
    return a < b;
  });
}

std::vector<uint32_t> collapse_order(std::span<const uint32_t> order,
                                     std::span<const uint32_t> representative) {
  std::vector<bool> scanned(representative.size(), false);
  std::vector<uint32_t> collapsed;
  collapsed.reserve(order.size());
  for (const uint32_t id : order) {
    const uint32_t group = representative[id];
    if (scanned[group]) continue;
    scanned[group] = true;
    collapsed.push_back(group);
  }
  return collapsed;
}

Clustering expand_groups(const Clustering& groups, std::span<const uint32_t> order,
                         std::span<const uint32_t> representative, ThreadPool& pool) {
  KITH_CHECK(groups.size() == representative.size() && groups.size() >= order.size());
  // By representative: the member that the order has first.
  std::vector<uint32_t> first(representative.size(), no_center);
  for (const uint32_t id : order) {
    uint32_t& member = first[representative[id]];
    if (member == no_center) member = id;
  }
  Clustering all(representative.size());
  constexpr size_t grain = 1 << 14;
  pool.for_chunks(all.size(), grain, [&](size_t begin, size_t end, unsigned) {
    for (auto id = static_cast<uint32_t>(begin); id < end; ++id) {
      const uint32_t group = representative[id];
      if (groups.center[group] == no_center) {
        all.join(id, group, sketch::bag_total);  // copies of few words
        continue;
      }
      all.join(id, first[groups.center[group]], groups.sum_of_minima[group]);
    }
  });
  return all;
}

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
