#include "topics/communities.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "similar/neighbour.h"
#include "topics/vectors.h"

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

namespace {

// Small batches decide on fresher states; in large graphs a batch keeps all threads busy.
size_t batch_size(size_t nodes) {
  return std::clamp<size_t>(nodes / 256, 1, 4096);
}
// Smaller batches are not worth waking threads.
constexpr size_t min_parallel = 256;
constexpr size_t nodes_per_chunk = 64;

template <class Weight>
class Mover {
 public:
  Mover(const GraphView<Weight>& graph, std::span<uint32_t> community, const MoveOptions& options,
        ThreadPool& pool)
      : graph_(graph),
        community_(community),
        total_(graph.size()),
        marked_(graph.size(), 1),
        target_(batch_size(graph.size())),
        weights_(pool.size()),
        bound_(options.bound),
        scale_(options.resolution / static_cast<double>(graph.total)),
        pool_(pool) {
    for (size_t node = 0; node < graph.size(); ++node) {
      total_[community[node]] += graph.degree[node];
    }
  }

  uint64_t sweep() {
    uint64_t moves = 0;
    pool_.poll();  // small batches take no chunks of the pool
    for (size_t begin = 0; begin < graph_.size(); begin += target_.size()) {
      const size_t end = std::min(begin + target_.size(), graph_.size());
      decide(begin, end);
      for (size_t node = begin; node < end; ++node) moves += apply(node, target_[node - begin]);
    }
    return moves;
  }

 private:
  void decide(size_t begin, size_t end) {
    const auto decide_some = [&](size_t first, size_t last, unsigned worker) {
      for (size_t node = begin + first; node < begin + last; ++node) {
        target_[node - begin] = marked_[node] ? best(node, weights_[worker]) : community_[node];
        marked_[node] = 0;
      }
    };
    if (end - begin < min_parallel) return decide_some(0, end - begin, 0);
    pool_.for_chunks(end - begin, nodes_per_chunk, decide_some);
  }

  double expected(size_t node, uint64_t total) const {
    return scale_ * as_double(graph_.degree[node]) * as_double(total);
  }
  double gain(size_t node, uint64_t weight, uint64_t total) const {
    return as_double(weight) - expected(node, total);
  }

  void add_edges(size_t node, CommunityWeights& weights) const {
    const auto edges = graph_[node];
    weights.begin(edges.size(), graph_.size());
    if (bound_.empty()) {
      weights.add(edges, community_, [](const auto&) { return true; });
    } else {
      const uint32_t own = bound_[node];
      weights.add(edges, community_, [&](const auto& edge) { return bound_[edge.to] == own; });
    }
  }

  uint32_t best(size_t node, CommunityWeights& weights) const {
    add_edges(node, weights);
    const uint32_t own = community_[node];
    const uint64_t others = total_[own] - graph_.degree[node];
    double staying = -expected(node, others);
    uint32_t best = own;
    double most = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < weights.size(); ++i) {
      const auto [community, weight] = weights[i];
      if (community == own) {
        staying = gain(node, weight, others);
        continue;
      }
      const double value = gain(node, weight, total_[community]);
      if (value > most || (value == most && community < best)) {
        most = value;
        best = community;
      }
    }
    return most > staying ? best : own;
  }

  // Returns the number of moves. A node whose move is no longer an improvement decides again.
  uint64_t apply(size_t node, uint32_t target) {
    const uint32_t own = community_[node];
    if (target == own) return 0;
    uint64_t inside = 0;
    uint64_t there = 0;
    for (const auto& edge : graph_[node]) {
      if (community_[edge.to] == own) inside += edge.weight;
      if (community_[edge.to] == target) there += edge.weight;
    }
    const uint64_t degree = graph_.degree[node];
    if (gain(node, there, total_[target]) <= gain(node, inside, total_[own] - degree)) {
      marked_[node] = 1;
      return 0;
    }
    total_[own] -= degree;
    total_[target] += degree;
    community_[node] = target;
    for (const auto& edge : graph_[node]) {
      if (community_[edge.to] != target) marked_[edge.to] = 1;
    }
    return 1;
  }

  const GraphView<Weight> graph_;
  const std::span<uint32_t> community_;
  LargeArray<uint64_t> total_;             // by community: the sum of degrees
  std::vector<uint8_t> marked_;            // by node: to be looked at
  std::vector<uint32_t> target_;           // of the nodes of a batch
  std::vector<CommunityWeights> weights_;  // by worker
  const std::span<const uint32_t> bound_;
  const double scale_;  // gamma / 2m
  ThreadPool& pool_;
};

template <class Weight>
uint64_t move_all(const GraphView<Weight>& graph, std::span<uint32_t> community,
                  const MoveOptions& options, ThreadPool& pool) {
  if (graph.total == 0) return 0;
  Mover mover(graph, community, options, pool);
  uint64_t all = 0;
  for (uint32_t sweep = 1; sweep <= options.sweeps; ++sweep) {
    const uint64_t moves = mover.sweep();
    all += moves;
    if (moves == 0 || (sweep >= 4 && moves < graph.size() / 10000)) break;
  }
  return all;
}

}  // namespace

uint64_t move_nodes(const PageGraphView& graph, std::span<uint32_t> community,
                    const MoveOptions& options, ThreadPool& pool) {
  return move_all(graph, community, options, pool);
}
uint64_t move_nodes(const CommunityGraphView& graph, std::span<uint32_t> community,
                    const MoveOptions& options, ThreadPool& pool) {
  return move_all(graph, community, options, pool);
}

}  // namespace kith::topics
