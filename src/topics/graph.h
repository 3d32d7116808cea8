// A weighted undirected graph, each edge listed at both ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/large_array.h"

namespace kith::topics {

template <class Weight>
struct Edge {
  uint32_t to;
  Weight weight;  // > 0
  friend bool operator==(const Edge&, const Edge&) = default;
};

// Nodes are numbered from 0; no node has an edge to itself. Weight is uint32_t for pages and
// uint64_t for communities, whose edges are sums. Immutable once made, thread-safe.
template <class Weight>
struct Graph {
  LargeArray<uint64_t> offsets;  // n + 1, into edges
  LargeArray<Edge<Weight>> edges;
  LargeArray<uint64_t> degree;  // n: the weights at a node, with those inside it twice
  uint64_t total = 0;           // the sum of all degrees: 2 m

  size_t size() const { return degree.size(); }
  std::span<const Edge<Weight>> operator[](size_t node) const {
    return edges.span().subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
  // An edge is counted once.
  uint64_t edge_count() const { return offsets.size() == 0 ? 0 : offsets[size()] / 2; }
};

using PageGraph = Graph<uint32_t>;
using CommunityGraph = Graph<uint64_t>;

}  // namespace kith::topics
