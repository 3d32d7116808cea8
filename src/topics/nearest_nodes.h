// Pages of few words, which are no nodes: each is in the topic of its nearest page.
#pragma once

#include "run/neighbours.h"
#include "topics/nodes.h"
#include "topics/tree.h"

namespace kith::topics {

// Every page that is no node joins the first one of its list that is: `nodes` knows it then as a
// page of that node, and the topics of the node count it. A page whose list has none stays without
// a topic. Neither labels nor directions change. Memory: 4 bytes for each node and each page.
void join_nearest(const run::Neighbours& neighbours, Nodes& nodes, Tree& tree);

}  // namespace kith::topics
