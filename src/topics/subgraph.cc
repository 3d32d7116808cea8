#include "topics/subgraph.h"

namespace kith::topics {

PageGraph make_subgraph(const PageGraph& graph, std::span<const uint32_t> nodes,
                        const NodePlaces& places, uint32_t topic) {
  PageGraph part;
  part.offsets = LargeArray<uint64_t>(nodes.size() + 1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    uint64_t inside = 0;
    for (const Edge<uint32_t>& edge : graph[nodes[i]]) inside += places.topic[edge.to] == topic;
    part.offsets[i + 1] = part.offsets[i] + inside;
  }
  part.edges = LargeArray<Edge<uint32_t>>(part.offsets[nodes.size()]);
  part.degree = LargeArray<uint64_t>(nodes.size());
  uint64_t filled = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    part.degree[i] = graph.degree[nodes[i]];
    for (const Edge<uint32_t>& edge : graph[nodes[i]]) {
      if (places.topic[edge.to] == topic) {
        part.edges[filled++] = {places.place[edge.to], edge.weight};
      } else {
        part.degree[i] -= edge.weight;
      }
    }
    part.total += part.degree[i];
  }
  return part;
}

std::vector<uint32_t> leaders_inside(std::span<const uint32_t> leaders,
                                     std::span<const uint32_t> nodes, const NodePlaces& places,
                                     uint32_t topic) {
  std::vector<uint32_t> inside;
  if (leaders.empty()) return inside;
  inside.reserve(nodes.size());
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const uint32_t leader = leaders[nodes[i]];
    inside.push_back(places.topic[leader] == topic ? places.place[leader] : i);
  }
  return inside;
}

}  // namespace kith::topics
