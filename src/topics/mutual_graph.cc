#include <algorithm>
#include <span>

#include "topics/neighbour_graph.h"

namespace kith::topics {
namespace {

constexpr size_t lists_per_chunk = 4096;
// Beside a sum of minima, which is less.
constexpr uint32_t mutual = uint32_t{1} << 31;

class MutualGraphBuilder {
 public:
  MutualGraphBuilder(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool)
      : lists_(lists, nodes, pool), pool_(pool) {}

  PageGraph build() {
    fill();
    mark();
    merge();
    return std::move(graph_);
  }

 private:
  std::span<Edge<uint32_t>> row(size_t node) {
    return graph_.edges.span().subspan(graph_.offsets[node],
                                       graph_.offsets[node + 1] - graph_.offsets[node]);
  }

  // Lists by ascending id, with their sums of minima.
  void fill() {
    const size_t n = lists_.size();
    graph_.offsets = LargeArray<uint64_t>(n + 1);
    lists_.for_all(pool_, [&](size_t node, std::span<const similar::Neighbour> list) {
      graph_.offsets[node + 1] = list.size();
    });
    for (size_t node = 0; node < n; ++node) graph_.offsets[node + 1] += graph_.offsets[node];
    graph_.edges = LargeArray<Edge<uint32_t>>(graph_.offsets[n]);
    lists_.for_all(pool_, [&](size_t node, std::span<const similar::Neighbour> list) {
      const auto own = row(node);
      for (size_t i = 0; i < list.size(); ++i) own[i] = {list[i].id, list[i].sum_of_minima};
      std::ranges::sort(own, {}, &Edge<uint32_t>::to);
    });
  }

  void mark() {
    pool_.for_chunks(lists_.size(), lists_per_chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t node = begin; node < end; ++node) {
        const auto own = static_cast<uint32_t>(node);
        for (Edge<uint32_t>& edge : row(node)) {
          if (std::ranges::binary_search(row(edge.to), own, {}, &Edge<uint32_t>::to)) {
            edge.weight |= mutual;
          }
        }
      }
    });
  }

  // Weights in the place of sums; rows move together.
  void merge() {
    const size_t n = lists_.size();
    graph_.degree = LargeArray<uint64_t>(n);
    uint64_t kept = 0;
    for (size_t node = 0; node < n; ++node) {
      if (node % (size_t{1} << 16) == 0) pool_.poll();
      const auto own = row(node);
      graph_.offsets[node] = kept;
      for (const Edge<uint32_t> edge : own) {
        if ((edge.weight & mutual) == 0) continue;
        const uint32_t weight = std::max(1u, lists_.scaled(node, {edge.to, edge.weight & ~mutual}));
        graph_.edges[kept++] = {edge.to, weight};
        graph_.degree[node] += weight;
      }
      graph_.total += graph_.degree[node];
    }
    graph_.offsets[n] = kept;
    graph_.edges.shrink(kept);
  }

  const NodeLists lists_;
  ThreadPool& pool_;
  PageGraph graph_;
};

}  // namespace

PageGraph make_mutual_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool) {
  return MutualGraphBuilder(lists, nodes, pool).build();
}

}  // namespace kith::topics
