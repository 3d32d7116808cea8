#include "topics/neighbour_graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sketch/bag.h"
#include "topics/graph.h"
#include "topics/tree.h"

namespace kith::topics {

// The bits of floats that are not negative are in the order of the values: the first bits are
// counted, and only values that begin with those of the result are sorted.
float nth_greatest(std::span<const float> values, size_t n) {
  const auto first_bits = [](float value) { return std::bit_cast<uint32_t>(value) >> 20; };
  std::array<uint32_t, 1 << 12> count{};
  for (const float value : values) ++count[first_bits(value)];
  size_t key = count.size() - 1;
  for (; count[key] < n; --key) n -= count[key];
  std::vector<float> found;
  found.reserve(count[key]);
  for (const float value : values) {
    if (first_bits(value) == key) found.push_back(value);
  }
  const auto nth = found.begin() + static_cast<ptrdiff_t>(n - 1);
  std::ranges::nth_element(found, nth, std::ranges::greater());
  return *nth;
}

Nodes make_nodes(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                 uint32_t min_words) {
  Nodes nodes;
  nodes.page = similar::distinct_bags(bags, groups);
  std::erase_if(nodes.page, [&](uint32_t page) {
    return bags[page].size() < min_words && !groups.has_copies(page);
  });
  nodes.pages.reserve(nodes.page.size());
  nodes.node_of.assign(groups.size(), similar::no_id);
  for (const uint32_t page : nodes.page) {
    nodes.node_of[page] = static_cast<uint32_t>(nodes.pages.size());
    nodes.pages.push_back(groups.multiplicity[page]);
  }
  for (uint32_t page = 0; page < groups.size(); ++page) {
    nodes.node_of[page] = nodes.node_of[groups.representative[page]];
  }
  return nodes;
}

namespace {

constexpr double scale_unit = 1 << 16;
constexpr double max_scaled = 1e4;

}  // namespace

NodeLists::NodeLists(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool)
    : lists_(lists), nodes_(nodes), mean_(nodes.size()) {
  for_all(pool, [&](size_t node, std::span<const similar::Neighbour> list) {
    double sum = 0;
    for (const similar::Neighbour& entry : list) sum += sketch::similarity_of(entry.sum_of_minima);
    mean_[node] = list.empty() ? 0 : sum / static_cast<double>(list.size());
  });
}

// Copies of one bag have one similarity, so that they stand in one stretch of equal sums.
void NodeLists::read(size_t node, std::vector<similar::Neighbour>& list) const {
  list.clear();
  for (const similar::Neighbour& entry : lists_[nodes_.page[node]]) {
    if (list.size() == max_neighbours) return;
    const uint32_t other = nodes_.node_of[entry.id];
    if (other == node || other == similar::no_id) continue;
    bool known = false;
    for (size_t i = list.size(); i-- > 0 && list[i].sum_of_minima == entry.sum_of_minima;) {
      known = known || list[i].id == other;
    }
    if (!known) list.push_back({other, entry.sum_of_minima});
  }
}

uint32_t NodeLists::scaled(size_t node, const similar::Neighbour& entry) const {
  // Neighbours have a common word, so that no mean over a list is 0; but the list of the other may
  // be empty where it is a page of a damaged or foreign file.
  const double scale = std::sqrt(mean_[node] * mean_[entry.id]);
  const double a = scale > 0 ? sketch::similarity_of(entry.sum_of_minima) / scale : 0;
  return static_cast<uint32_t>(std::min(a, max_scaled) * scale_unit);
}

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
