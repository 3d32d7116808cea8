// The graph of neighbours, and the topic of pages that are no nodes of it.
#pragma once

#include "base/parallel/thread_pool.h"
#include "run/index_files.h"
#include "topics/graph.h"
#include "topics/nodes.h"
#include "topics/tree.h"

namespace kith::topics {

// Pages of few words, which are no nodes: each is in the topic of its nearest page.

// Every page that is no node joins the first one of its list that is: `nodes` knows it then as a
// page of that node, and the topics of the node count it. A page whose list has none stays without
// a topic. Neither labels nor directions change. Memory: 4 bytes for each node and each page.
void join_nearest(const run::Neighbours& neighbours, Nodes& nodes, Tree& tree);

// The graph that topics stand on: every page with its nearest pages.

// An edge wherever a node is in the list of another. With c = NodeLists::scaled() the weight is
// max(1, (c + 1) / 2), or max(1, c) where each is in the list of the other. The same for any number
// of threads.
PageGraph make_neighbour_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool);

// Only the edges where each node is in the list of the other, at most as many as a list has: half
// of the memory.
PageGraph make_mutual_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool);

}  // namespace kith::topics
