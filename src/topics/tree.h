// One topic into topics: communities, joining, reassignment (docs/algorithms/topics.md).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "topics/graph.h"
#include "topics/neighbour_graph.h"
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
  // By node, for languages that are kept apart (reassignment.h); empty: none are.
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

// The tree of topics: one topic of all pages, split again and again (docs/algorithms/topics.md).

// A coordinate of the direction of a topic.
struct DirectionPart {
  uint32_t term;  // of the dictionary
  float value;
  friend bool operator==(const DirectionPart&, const DirectionPart&) = default;
};

struct Topic {
  uint32_t parent = similar::no_id;
  uint32_t depth = 0;
  uint32_t first_child = 0;  // children stand one behind the other
  uint32_t children = 0;     // 0: a leaf
  uint64_t begin = 0;        // of its nodes, in Tree::nodes
  uint64_t end = 0;
  uint64_t pages = 0;
  double cohesion = 0;    // mean of x.y over all pairs of its pages, each with itself: [0, 1]
  uint32_t exemplar = 0;  // the node nearest to its mean
  std::vector<uint32_t> labels;  // terms of the dictionary, best first
  // Of z (reassignment.h) the parts of greatest size, ascending by term: where new pages go.
  std::vector<DirectionPart> direction;
};

struct Tree {
  std::vector<Topic> topics;    // the root first; by depth, children by pages, most first
  std::vector<uint32_t> nodes;  // of each topic together
  uint64_t communities = 0;     // of the whole graph
  double modularity = 0;        // of these, with resolution 1
};

// What a tree is made of.
struct TreeInputs {
  const sketch::BagCollection& bags;
  const Nodes& nodes;
  uint32_t terms = 0;               // of the dictionary
  const std::vector<bool>& words;   // by term: may be a label
  std::span<const uint32_t> hosts;  // by page: the number of its host
  std::span<const uint8_t> suits;   // by page: as an example, the greatest best; empty: all alike
  std::span<const uint8_t> languages;  // by page: see reassignment.h; empty: not known
  uint64_t memory = 0;  // bytes for what makes it faster: copies of vectors, longer passes
};

// What its topics are split by; the tree takes it, and frees what it has done with.
struct TreeGraph {
  PageGraph graph;  // of the nodes
  // By node, where the graph is one of clusters (topic_graphs.h): the node that stands for its
  // cluster. Empty for a graph of pages.
  std::vector<uint32_t> leaders = {};
};

// The same for any number of threads and any memory. A collection without a word has a root
// without pages.
Tree make_tree(const TreeInputs& inputs, TreeGraph graph, const TreeOptions& options,
               ThreadPool& pool);

}  // namespace kith::topics
