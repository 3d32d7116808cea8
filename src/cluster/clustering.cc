#include "cluster/clustering.h"

#include <algorithm>
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

}  // namespace kith::cluster
