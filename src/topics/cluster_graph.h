// A graph of clusters in the place of one of pages: as many nodes as pages, and edges between the
// centers of clusters only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "run/clusters.h"
#include "run/neighbours.h"
#include "topics/graph.h"
#include "topics/nodes.h"

namespace kith::topics {

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
