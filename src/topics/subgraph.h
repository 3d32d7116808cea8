// The part of the graph inside a topic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topics/graph.h"

namespace kith::topics {

// Where every node stands while topics of one depth, of which no two have a node in common, are
// split.
struct NodePlaces {
  LargeArray<uint32_t> topic;  // by node
  LargeArray<uint32_t> place;  // by node: its number in its topic
};

// The nodes of a topic in the order given, with the edges between them. REQUIRES: `places` says of
// these nodes, and of no others, that they are in `topic`, each at its place.
PageGraph make_subgraph(const PageGraph& graph, std::span<const uint32_t> nodes,
                        const NodePlaces& places, uint32_t topic);

// By node of the topic: the place of its leader, or its own where that is in another topic. Empty
// if there are none.
std::vector<uint32_t> leaders_inside(std::span<const uint32_t> leaders,
                                     std::span<const uint32_t> nodes, const NodePlaces& places,
                                     uint32_t topic);

}  // namespace kith::topics
