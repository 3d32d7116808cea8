// The graph that topics stand on: every page with its nearest pages.
#pragma once

#include "base/parallel/thread_pool.h"
#include "run/neighbours.h"
#include "topics/graph.h"
#include "topics/node_lists.h"
#include "topics/nodes.h"

namespace kith::topics {

// An edge wherever a node is in the list of another. With c = NodeLists::scaled() the weight is
// max(1, (c + 1) / 2), or max(1, c) where each is in the list of the other. The same for any number
// of threads.
PageGraph make_neighbour_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool);

// Only the edges where each node is in the list of the other, at most as many as a list has: half
// of the memory.
PageGraph make_mutual_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool);

}  // namespace kith::topics
