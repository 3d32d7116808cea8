// The graphs of the topics of a depth.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "run/index_files.h"
#include "topics/communities.h"
#include "topics/graph.h"
#include "topics/neighbour_graph.h"

namespace kith::topics {

// A topic of which the nodes from `begin` on fall into groups.
struct SplitTopic {
  uint64_t begin = 0;
  Members members;  // the nodes of the topic, numbered from 0, by group
};

// Nodes of a topic stand one behind the other, and are numbered in it from 0. Edges between topics
// are gone. A graph of one depth takes the place of that of the depth before, so that no more than
// two are in memory, and one while a topic is split. Const calls are thread-safe.
class TopicGraphs {
 public:
  // One topic of all nodes. leaders: as in TreeInputs.
  TopicGraphs(PageGraph graph, std::vector<uint32_t> leaders)
      : graph_(std::move(graph)), leaders_(std::move(leaders)) {}

  // Of the topic that has the nodes [begin, end). Valid until split().
  PageGraphView graph(uint64_t begin, uint64_t end) const;
  // By node of the topic: its leader, or itself where that is in another topic. Empty if there are
  // none.
  std::span<const uint32_t> leaders(uint64_t begin, uint64_t end) const;

  // The groups of topics become topics: node i of them is the node members.items[i] of the topic
  // before. Topics that are not among `topics` have no edges any more.
  void split(std::span<const SplitTopic> topics, ThreadPool& pool);

 private:
  PageGraph graph_;
  std::vector<uint32_t> leaders_;
};

// A graph of clusters in the place of one of pages: as many nodes as pages, and edges between the
// centers of clusters only.

// By node: the node that stands for its cluster, the bag of the center; itself where its cluster
// has no bag among the nodes. What a leader names is itself.
std::vector<uint32_t> find_leaders(const run::Clusters& clusters, const Nodes& nodes);

// Clusters with what the lists of their pages say of each other: of every cluster the edges to the
// `most` clusters of greatest sum, ties to the smaller number, symmetric as those of pages are
// (neighbour_graph.h), with weights of at most 2^32 - 1. What lies inside a cluster is in the
// degree of its leader. The same for any number of threads.
PageGraph make_cluster_graph(const run::Neighbours& lists, const Nodes& nodes,
                             std::span<const uint32_t> leaders, uint32_t most, ThreadPool& pool);

}  // namespace kith::topics
