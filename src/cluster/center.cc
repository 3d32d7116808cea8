#include "cluster/center.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "cluster/order.h"

namespace kith::cluster {
namespace {

// One direction of a pair, in ranks.
struct Edge {
  uint32_t left;
  uint32_t right;
  uint32_t sum_of_minima;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

std::vector<Edge> both_directions(std::span<const pairs::Pair> pairs,
                                  std::span<const uint32_t> ranks) {
  std::vector<Edge> edges;
  edges.reserve(2 * pairs.size());
  for (const pairs::Pair& pair : pairs) {
    const uint32_t a = ranks[pair.a];
    const uint32_t b = ranks[pair.b];
    if (a == no_rank || b == no_rank) continue;
    edges.push_back({a, b, pair.sum_of_minima});
    edges.push_back({b, a, pair.sum_of_minima});
  }
  std::ranges::sort(edges);
  return edges;
}

}  // namespace

Clustering center_by_scan(size_t n, std::span<const pairs::Pair> pairs,
                          std::span<const uint32_t> order, Assign assign) {
  const std::vector<Edge> edges = both_directions(pairs, ranks_of(order, n));
  Clustering clustering(n);
  for (const Edge& edge : edges) {
    const uint32_t left = order[edge.left];
    const uint32_t right = order[edge.right];
    if (clustering.center[left] == no_center) clustering.make_center(left);
    if (clustering.is_center(left) && clustering.center[right] == no_center) {
      clustering.join(right, left, edge.sum_of_minima);
    }
  }
  for (const uint32_t id : order) {
    if (clustering.center[id] == no_center) clustering.make_center(id);
  }
  if (assign == Assign::first) return clustering;

  // Edges of a member come by ascending rank of the center: only a larger sum moves it.
  for (const Edge& edge : edges) {
    const uint32_t member = order[edge.left];
    const uint32_t center = order[edge.right];
    if (clustering.is_center(member) || !clustering.is_center(center)) continue;
    const bool closer = edge.sum_of_minima > clustering.sum_of_minima[member];
    if (closer) clustering.join(member, center, edge.sum_of_minima);
  }
  return clustering;
}

Clustering expand_groups(const Clustering& groups, std::span<const uint32_t> order,
                         std::span<const uint32_t> representative, ThreadPool& pool) {
  KITH_CHECK(groups.size() == representative.size() && groups.size() == order.size());
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
      all.join(id, first[groups.center[group]], groups.sum_of_minima[group]);
    }
  });
  return all;
}

}  // namespace kith::cluster
