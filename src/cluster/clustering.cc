#include "cluster/clustering.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "sketch/bag.h"

namespace kith::cluster {

void Clustering::make_center(uint32_t id) {
  join(id, id, bag_total);
}

void Clustering::join(uint32_t id, uint32_t to_center, uint32_t sum) {
  center[id] = to_center;
  sum_of_minima[id] = sum;
}

ClusterLists::ClusterLists(const Clustering& clustering) {
  const size_t n = clustering.size();
  KITH_CHECK(n < no_center);
  std::vector<uint32_t> sizes(n, 0);
  std::vector<uint32_t> centers;
  for (uint32_t id = 0; id < n; ++id) {
    if (clustering.center[id] != no_center) ++sizes[clustering.center[id]];
    if (clustering.is_center(id)) centers.push_back(id);
  }
  // Ascending ids already, so that a stable sort leaves equal sizes in id order.
  std::ranges::stable_sort(centers, std::greater<>(), [&](uint32_t id) { return sizes[id]; });

  offsets_.reserve(centers.size() + 1);
  offsets_.push_back(0);
  std::vector<uint64_t> next(n, 0);  // where the next member of a center goes
  for (const uint32_t id : centers) {
    singles_ += sizes[id] == 1;
    next[id] = offsets_.back();
    offsets_.push_back(offsets_.back() + sizes[id]);
  }
  ids_.resize(offsets_.back());
  for (uint32_t id = 0; id < n; ++id) {
    if (clustering.center[id] != no_center) ids_[next[clustering.center[id]]++] = id;
  }
  for (size_t cluster = 0; cluster < groups(); ++cluster) {
    const auto ids = std::span(ids_).subspan(offsets_[cluster], size_of(cluster));
    std::ranges::sort(ids, [&](uint32_t a, uint32_t b) {
      if (clustering.is_center(a) != clustering.is_center(b)) return clustering.is_center(a);
      if (clustering.sum_of_minima[a] != clustering.sum_of_minima[b]) {
        return clustering.sum_of_minima[a] > clustering.sum_of_minima[b];
      }
      return a < b;
    });
  }
}

}  // namespace kith::cluster
