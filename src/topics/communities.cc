#include "topics/communities.h"

#include <numeric>

#include "similar/neighbour.h"
#include "topics/local_moves.h"

namespace kith::topics {
namespace {

constexpr size_t communities_per_chunk = 256;

// Calls visit(c, weights of the edges of community c to others) for every community.
template <class Weight, class Visit>
void for_communities(const GraphView<Weight>& graph, std::span<const uint32_t> community,
                     const Members& members, uint32_t communities, ThreadPool& pool,
                     const Visit& visit) {
  std::vector<CommunityWeights> weights(pool.size());
  pool.for_chunks(communities, communities_per_chunk,
                  [&](size_t begin, size_t end, unsigned worker) {
                    CommunityWeights& own = weights[worker];
                    for (size_t c = begin; c < end; ++c) {
                      size_t edges = 0;
                      for (const uint32_t node : members[c]) edges += graph[node].size();
                      own.begin(std::min<size_t>(edges, communities), communities);
                      for (const uint32_t node : members[c]) {
                        own.add(graph[node], community,
                                [&](const auto& edge) { return community[edge.to] != c; });
                      }
                      visit(c, own);
                    }
                  });
}

template <class Weight>
CommunityGraph contract_any(const GraphView<Weight>& graph, std::span<const uint32_t> community,
                            uint32_t communities, ThreadPool& pool) {
  const Members members = members_of(community, communities);
  CommunityGraph contracted;
  contracted.offsets = LargeArray<uint64_t>(communities + 1);
  contracted.degree = LargeArray<uint64_t>(communities);
  contracted.total = graph.total;
  for_communities(graph, community, members, communities, pool,
                  [&](size_t c, const CommunityWeights& weights) {
                    contracted.offsets[c + 1] = weights.size();
                    for (const uint32_t node : members[c]) {
                      contracted.degree[c] += graph.degree[node];
                    }
                  });
  for (uint32_t c = 0; c < communities; ++c) contracted.offsets[c + 1] += contracted.offsets[c];
  contracted.edges = LargeArray<Edge<uint64_t>>(contracted.offsets[communities]);
  for_communities(
      graph, community, members, communities, pool, [&](size_t c, const CommunityWeights& weights) {
        for (size_t i = 0; i < weights.size(); ++i) {
          contracted.edges[contracted.offsets[c] + i] = {weights[i].community, weights[i].weight};
        }
      });
  return contracted;
}

}  // namespace

uint32_t renumber(std::span<uint32_t> community) {
  std::vector<uint32_t> number(community.size(), similar::no_id);
  uint32_t count = 0;
  for (uint32_t& c : community) {
    if (number[c] == similar::no_id) number[c] = count++;
    c = number[c];
  }
  return count;
}

Members members_of(std::span<const uint32_t> group, uint32_t groups) {
  Members members;
  members.at.assign(groups + 1, 0);
  for (const uint32_t g : group) {
    if (g != similar::no_id) ++members.at[g + 1];
  }
  for (uint32_t g = 0; g < groups; ++g) members.at[g + 1] += members.at[g];
  members.items.resize(members.at.back());
  std::vector<uint64_t> next(members.at.begin(), members.at.end() - 1);
  for (uint32_t item = 0; item < group.size(); ++item) {
    if (group[item] != similar::no_id) members.items[next[group[item]]++] = item;
  }
  return members;
}

CommunityGraph contract(const PageGraphView& graph, std::span<const uint32_t> community,
                        uint32_t communities, ThreadPool& pool) {
  return contract_any(graph, community, communities, pool);
}
CommunityGraph contract(const CommunityGraphView& graph, std::span<const uint32_t> community,
                        uint32_t communities, ThreadPool& pool) {
  return contract_any(graph, community, communities, pool);
}

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
