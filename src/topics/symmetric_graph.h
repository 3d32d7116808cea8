// A graph of what nodes say of each other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

#include "base/large_array.h"
#include "base/parallel/thread_pool.h"
#include "topics/graph.h"

namespace kith::topics {

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
