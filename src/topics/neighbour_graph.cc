#include "topics/neighbour_graph.h"

#include <span>
#include <vector>

#include "topics/graph.h"

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

PageGraph make_neighbour_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool) {
  const NodeLists all(lists, nodes, pool);
  const auto for_rows = [&](const auto& visit) {
    all.for_all(pool, [&](size_t node, std::span<const similar::Neighbour> list) {
      std::vector<Edge<uint32_t>> row;
      row.reserve(list.size());
      for (const similar::Neighbour& entry : list) {
        row.push_back({entry.id, all.scaled(node, entry)});
      }
      visit(node, std::span<const Edge<uint32_t>>(row));
    });
  };
  return SymmetricGraph(nodes.size(), for_rows, pool).build();
}

}  // namespace kith::topics
