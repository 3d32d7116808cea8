#include "topics/nearest_nodes.h"

#include <vector>

namespace kith::topics {
namespace {

// By node. The topics of a leaf are those on the way to the root.
std::vector<uint32_t> leaves_of_nodes(const Tree& tree) {
  std::vector<uint32_t> leaves(tree.nodes.size());
  for (uint32_t topic = 0; topic < tree.topics.size(); ++topic) {
    if (tree.topics[topic].children > 0) continue;
    for (uint64_t i = tree.topics[topic].begin; i < tree.topics[topic].end; ++i) {
      leaves[tree.nodes[i]] = topic;
    }
  }
  return leaves;
}

}  // namespace

void join_nearest(const run::Neighbours& neighbours, Nodes& nodes, Tree& tree) {
  constexpr uint32_t stretch = 1 << 14;
  const std::vector<uint32_t> leaves = leaves_of_nodes(tree);
  std::vector<uint32_t> joined(nodes.node_of.size(), similar::no_id);
  for (uint32_t page = 0; page < nodes.node_of.size(); ++page) {
    if (page % stretch == stretch - 1) neighbours.release();
    if (nodes.node_of[page] != similar::no_id) continue;
    for (const similar::Neighbour& entry : neighbours[page]) {
      joined[page] = nodes.node_of[entry.id];
      if (joined[page] != similar::no_id) break;
    }
  }
  for (uint32_t page = 0; page < joined.size(); ++page) {
    if (joined[page] == similar::no_id) continue;
    nodes.node_of[page] = joined[page];
    for (uint32_t at = leaves[joined[page]]; at != similar::no_id; at = tree.topics[at].parent) {
      ++tree.topics[at].pages;
    }
  }
}

}  // namespace kith::topics
