#include "topics/communities.h"

#include <numeric>

#include "topics/contraction.h"
#include "topics/local_moves.h"

namespace kith::topics {
namespace {

std::vector<uint32_t> every_node_alone(size_t nodes) {
  std::vector<uint32_t> community(nodes);
  std::iota(community.begin(), community.end(), 0u);
  return community;
}

// Communities of `graph` by contraction, refined on every level below this one.
template <class Weight>
std::vector<uint32_t> communities_of(const Graph<Weight>& graph, const TreeOptions& options,
                                     ThreadPool& pool) {
  std::vector<uint32_t> community = every_node_alone(graph.size());
  if (move_nodes(graph, community, options.resolution, options.sweeps, pool) == 0) {
    return community;
  }
  const uint32_t communities = renumber(community);
  if (communities == graph.size()) return community;
  {
    const CommunityGraph contracted = contract(graph, community, communities, pool);
    const std::vector<uint32_t> joined = communities_of(contracted, options, pool);
    for (uint32_t& c : community) c = joined[c];
  }
  move_nodes(graph, community, options.resolution, options.refining_sweeps, pool);
  renumber(community);
  return community;
}

}  // namespace

std::vector<uint32_t> find_communities(const PageGraph& graph, const TreeOptions& options,
                                       ThreadPool& pool) {
  return communities_of(graph, options, pool);
}

double modularity(const PageGraph& graph, std::span<const uint32_t> community, double resolution) {
  if (graph.total == 0) return 0;
  std::vector<uint64_t> total(graph.size());
  uint64_t inside = 0;
  for (size_t node = 0; node < graph.size(); ++node) {
    total[community[node]] += graph.degree[node];
    for (const Edge<uint32_t>& edge : graph[node]) {
      if (community[edge.to] == community[node]) inside += edge.weight;
    }
  }
  const auto all = static_cast<double>(graph.total);
  double expected = 0;
  for (const uint64_t sum : total) {
    expected += static_cast<double>(sum) / all * (static_cast<double>(sum) / all);
  }
  return static_cast<double>(inside) / all - resolution * expected;
}

}  // namespace kith::topics
