// One topic into topics: communities, joining, reassignment (docs/algorithms/topics.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/graph.h"
#include "topics/options.h"
#include "topics/reassignment.h"
#include "topics/vectors.h"

namespace kith::topics {

struct Split {
  // By node: its group, numbered by pages, most first, ties by the smallest node. Empty: a leaf.
  Groups groups;
  uint64_t communities = 0;
  double modularity = 0;  // of these, with resolution 1
  bool is_leaf() const { return groups.pages.empty(); }
};

struct SplitLimits {
  uint32_t least = 0;   // topics of fewer nodes are leaves
  double min_gain = 0;  // tau, see TreeOptions
  uint32_t group_share = TreeOptions{}.group_share;
  // By node, for languages that are kept apart (languages.h); empty: none are.
  std::span<const uint8_t> languages = {};
  uint64_t memory = UINT64_MAX;  // bytes for the means of communities; with less it takes longer
};

// Splits a topic of which `graph` holds the edges and `vectors` the bags of the same nodes; `sum`
// is that of all vectors. leaders: by node, the one with whose community it begins, which names
// itself; none: every node with its own. Topics of fewer than n / 2 edges for n leaders are leaves,
// too. The same for any number of threads and any memory.
Split split(const PageGraphView& graph, std::span<const uint32_t> leaders,
            const TopicVectors& vectors, std::span<const uint64_t> sum, const SplitLimits& limits,
            const TreeOptions& options, ThreadPool& pool);

}  // namespace kith::topics
