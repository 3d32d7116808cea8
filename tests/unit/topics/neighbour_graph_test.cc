#include "topics/neighbour_graph.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

using topics::test::Collection;

// The definition, from the lists of pages.
std::map<std::pair<uint32_t, uint32_t>, double> edges_by_definition(const Collection& collection) {
  const Nodes& nodes = collection.nodes();
  std::vector<std::map<uint32_t, double>> lists(nodes.size());
  std::vector<double> mean(nodes.size(), 0);
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    for (const auto& entry : collection.neighbours()[nodes.page[node]]) {
      const uint32_t other = nodes.node_of[entry.id];
      if (other != node) lists[node][other] = sketch::similarity_of(entry.sum_of_minima);
    }
    for (const auto& [other, s] : lists[node]) mean[node] += s;
    mean[node] /= static_cast<double>(std::max<size_t>(1, lists[node].size()));
  }
  std::map<std::pair<uint32_t, uint32_t>, double> edges;
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    for (const auto& [other, s] : lists[node]) {
      edges[std::minmax(node, other)] += s / std::sqrt(mean[node] * mean[other]);
    }
  }
  return edges;
}

TEST(NeighbourGraph, HasTheEdgesOfTheDefinition) {
  const Collection collection(400, 5);
  ASSERT_LT(collection.nodes().size(), 400u);  // some bags are equal, and some empty
  const auto expected = edges_by_definition(collection);
  const PageGraph& graph = collection.graph();
  EXPECT_EQ(graph.edge_count(), expected.size());
  uint64_t total = 0;
  for (uint32_t node = 0; node < graph.size(); ++node) {
    uint64_t degree = 0;
    for (const Edge<uint32_t>& edge : graph[node]) {
      const auto found = expected.find(std::minmax(node, edge.to));
      ASSERT_NE(found, expected.end());
      EXPECT_NEAR(edge.weight, std::max(1.0, found->second * (1 << 15)), 1.01);
      degree += edge.weight;
    }
    EXPECT_EQ(graph.degree[node], degree);
    total += degree;
  }
  EXPECT_EQ(graph.total, total);
}

TEST(NeighbourGraph, IsTheSameForAnyNumberOfThreads) {
  const Collection collection(300, 4, 7);
  ThreadPool pool(3);
  const PageGraph again = make_neighbour_graph(collection.neighbours(), collection.nodes(), pool);
  ASSERT_EQ(again.size(), collection.graph().size());
  for (uint32_t node = 0; node < again.size(); ++node) {
    EXPECT_TRUE(std::ranges::equal(again[node], collection.graph()[node]));
  }
}

}  // namespace
}  // namespace kith::topics
