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
std::vector<uint32_t> communities_of(const GraphView<Weight>& graph, const TreeOptions& options,
                                     ThreadPool& pool) {
  std::vector<uint32_t> community = every_node_alone(graph.size());
  if (move_nodes(graph, std::span(community), {options.resolution, options.sweeps}, pool) == 0) {
    return community;
  }
  const uint32_t communities = renumber(community);
  if (communities == graph.size()) return community;
  {
    const CommunityGraph contracted = contract(graph, community, communities, pool);
    const std::vector<uint32_t> joined = communities_of(contracted.view(), options, pool);
    for (uint32_t& c : community) c = joined[c];
  }
  move_nodes(graph, std::span(community), {options.resolution, options.refining_sweeps}, pool);
  renumber(community);
  return community;
}

// One more cycle: communities fall into pieces, the pieces are contracted and may move as a whole,
// and so on; then nodes move again on every level.
template <class Weight>
void improve(const GraphView<Weight>& graph, std::vector<uint32_t>& community,
             const TreeOptions& options, ThreadPool& pool) {
  std::vector<uint32_t> piece = every_node_alone(graph.size());
  const MoveOptions inside{options.resolution, options.refining_sweeps, community};
  if (move_nodes(graph, std::span(piece), inside, pool) == 0) return;
  const uint32_t pieces = renumber(piece);
  std::vector<uint32_t> of_piece(pieces);
  for (size_t node = 0; node < piece.size(); ++node) of_piece[piece[node]] = community[node];
  renumber(of_piece);
  {
    const CommunityGraph contracted = contract(graph, piece, pieces, pool);
    const MoveOptions all{options.resolution, options.sweeps};
    move_nodes(contracted, std::span(of_piece), all, pool);
    renumber(of_piece);
    improve(contracted.view(), of_piece, options, pool);
  }
  for (size_t node = 0; node < piece.size(); ++node) community[node] = of_piece[piece[node]];
  move_nodes(graph, std::span(community), {options.resolution, options.refining_sweeps}, pool);
  renumber(community);
}

}  // namespace

std::vector<uint32_t> find_communities(const PageGraphView& graph, const TreeOptions& options,
                                       ThreadPool& pool) {
  std::vector<uint32_t> community = communities_of(graph, options, pool);
  for (uint32_t cycle = 0; cycle < options.cycles; ++cycle) {
    improve(graph, community, options, pool);
  }
  return community;
}

double modularity(const PageGraphView& graph, std::span<const uint32_t> community,
                  double resolution) {
  if (graph.total == 0) return 0;
  std::vector<uint64_t> total(graph.size());
  uint64_t inside = 0;
  for (size_t node = 0; node < graph.size(); ++node) {
    total[community[node]] += graph.degree[node];
    inside += graph.degree[node];
    for (const Edge<uint32_t>& edge : graph[node]) {
      if (community[edge.to] != community[node]) inside -= edge.weight;
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
