// A weighted undirected graph, each edge listed at both ends.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/memory.h"
#include "base/parallel/thread_pool.h"

namespace kith::topics {

// Of 12 bytes where weights have 8: edges are most of the memory of a tree of topics.
#pragma pack(push, 4)
template <class Weight>
struct Edge {
  uint32_t to;
  Weight weight;  // > 0
  friend bool operator==(const Edge&, const Edge&) = default;
};
#pragma pack(pop)

// Nodes are numbered from 0; no node has an edge to itself. Weight is uint32_t for pages and
// uint64_t for communities, whose edges are sums. Does not own what it shows; thread-safe.
template <class Weight>
struct GraphView {
  std::span<const uint64_t> offsets;  // n + 1, into edges
  std::span<const Edge<Weight>> edges;
  std::span<const uint64_t> degree;  // n: the weights at a node, with those inside it twice
  uint64_t total = 0;                // the sum of all degrees: 2 m

  size_t size() const { return degree.size(); }
  std::span<const Edge<Weight>> operator[](size_t node) const {
    return edges.subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
  // An edge is counted once.
  uint64_t edge_count() const {
    return offsets.empty() ? 0 : (offsets[size()] - offsets.front()) / 2;
  }
};

// One that owns its arrays. Immutable once made, thread-safe.
template <class Weight>
struct Graph {
  LargeArray<uint64_t> offsets;
  LargeArray<Edge<Weight>> edges;
  LargeArray<uint64_t> degree;
  uint64_t total = 0;

  GraphView<Weight> view() const { return {offsets.span(), edges.span(), degree.span(), total}; }
  operator GraphView<Weight>() const { return view(); }
  size_t size() const { return degree.size(); }
  std::span<const Edge<Weight>> operator[](size_t node) const { return view()[node]; }
  uint64_t edge_count() const { return view().edge_count(); }
};

using PageGraph = Graph<uint32_t>;
using PageGraphView = GraphView<uint32_t>;
using CommunityGraph = Graph<uint64_t>;
using CommunityGraphView = GraphView<uint64_t>;

// A graph of what nodes say of each other.

// Of n nodes. for_rows(visit) calls visit(node, edges) for nodes in any order and by several
// threads, twice with the same edges: where the node leads to, each node once and never itself. An
// edge of the graph weighs the mean of both directions, 0 for one that is missing, and at least 1.
// The same for any number of threads.
template <class ForRows>
class SymmetricGraph {
 public:
  SymmetricGraph(size_t n, const ForRows& for_rows, ThreadPool& pool)
      : for_rows_(for_rows), pool_(pool), filled_(n) {}

  PageGraph build() {
    count();
    fill();
    merge();
    return std::move(graph_);
  }

 private:
  using Row = std::span<const Edge<uint32_t>>;

  void count() {
    const size_t n = filled_.size();
    LargeArray<uint32_t> room(n);
    for_rows_([&](size_t node, Row row) {
      for (const Edge<uint32_t>& edge : row) {
        std::atomic_ref(room[edge.to]).fetch_add(1, std::memory_order_relaxed);
      }
      std::atomic_ref(room[node])
          .fetch_add(static_cast<uint32_t>(row.size()), std::memory_order_relaxed);
    });
    graph_.offsets = LargeArray<uint64_t>(n + 1);
    for (size_t node = 0; node < n; ++node) {
      graph_.offsets[node + 1] = graph_.offsets[node] + room[node];
    }
  }

  void add(size_t node, uint32_t to, uint32_t weight) {
    const uint32_t place = std::atomic_ref(filled_[node]).fetch_add(1, std::memory_order_relaxed);
    graph_.edges[graph_.offsets[node] + place] = {to, weight};
  }

  void fill() {
    graph_.edges = LargeArray<Edge<uint32_t>>(graph_.offsets[filled_.size()]);
    for_rows_([&](size_t node, Row row) {
      for (const Edge<uint32_t>& edge : row) {
        add(node, edge.to, edge.weight);
        add(edge.to, static_cast<uint32_t>(node), edge.weight);
      }
    });
  }

  // Both directions of an edge become one, in order of ids; then rows move together.
  void merge() {
    const size_t n = filled_.size();
    pool_.for_chunks(n, 4096, [&](size_t begin, size_t end, unsigned) {
      for (size_t node = begin; node < end; ++node) filled_[node] = merge_row(node);
    });
    graph_.degree = LargeArray<uint64_t>(n);
    uint64_t kept = 0;
    for (size_t node = 0; node < n; ++node) {
      if (node % (size_t{1} << 16) == 0) pool_.poll();
      const Row row = graph_.edges.span().subspan(graph_.offsets[node], filled_[node]);
      graph_.offsets[node] = kept;
      for (const Edge<uint32_t>& edge : row) {
        graph_.degree[node] += edge.weight;
        graph_.edges[kept++] = edge;
      }
      graph_.total += graph_.degree[node];
    }
    graph_.offsets[n] = kept;
    graph_.edges.shrink(kept);
  }

  uint32_t merge_row(size_t node) {
    const auto row = graph_.edges.span().subspan(graph_.offsets[node], filled_[node]);
    std::ranges::sort(row, {}, &Edge<uint32_t>::to);
    uint32_t kept = 0;
    for (size_t i = 0; i < row.size();) {
      uint64_t twice = 0;
      const uint32_t to = row[i].to;
      for (; i < row.size() && row[i].to == to; ++i) twice += row[i].weight;
      row[kept++] = {to, static_cast<uint32_t>(std::max<uint64_t>(1, (twice + 1) / 2))};
    }
    return kept;
  }

  const ForRows& for_rows_;
  ThreadPool& pool_;
  LargeArray<uint32_t> filled_;  // by node: edges in its row
  PageGraph graph_;
};

}  // namespace kith::topics
