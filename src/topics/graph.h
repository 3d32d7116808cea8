// A weighted undirected graph, each edge listed at both ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/large_array.h"

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

}  // namespace kith::topics
