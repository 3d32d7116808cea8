#include "cluster/groups.h"

#include <cstddef>

#include "base/check.h"

namespace kith::cluster {

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

}  // namespace kith::cluster
