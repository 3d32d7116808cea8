#include "topics/local_moves.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "topics/communities.h"
#include "topics/vectors.h"

namespace kith::topics {
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
