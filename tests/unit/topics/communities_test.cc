#include "topics/communities.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<uint32_t> alone(size_t nodes) {
  std::vector<uint32_t> community(nodes);
  std::iota(community.begin(), community.end(), 0u);
  return community;
}

// Q by looking at all pairs of nodes.
double modularity_by_pairs(const PageGraph& graph, const std::vector<uint32_t>& community,
                           double resolution) {
  const auto all = static_cast<double>(graph.total);
  double sum = 0;
  for (uint32_t a = 0; a < graph.size(); ++a) {
    for (uint32_t b = 0; b < graph.size(); ++b) {
      if (community[a] != community[b]) continue;
      double weight = 0;
      for (const auto& edge : graph[a]) weight += edge.to == b ? edge.weight : 0;
      sum += weight / all - resolution * static_cast<double>(graph.degree[a]) / all *
                                static_cast<double>(graph.degree[b]) / all;
    }
  }
  return sum;
}

TEST(Modularity, IsTheSumOverAllPairs) {
  const PageGraph graph = topics::test::block_graph(60, 3, 0.4, 0.05, 3);
  for (const double resolution : {1.0, 2.0}) {
    for (const uint32_t groups : {1u, 3u, 60u}) {
      std::vector<uint32_t> community(60);
      for (uint32_t node = 0; node < 60; ++node) community[node] = node % groups;
      EXPECT_NEAR(modularity(graph, community, resolution),
                  modularity_by_pairs(graph, community, resolution), 1e-12);
    }
  }
}

TEST(Communities, FindsPlantedBlocks) {
  const uint32_t blocks = 6;
  const PageGraph graph = topics::test::block_graph(300, blocks, 0.3, 0.01, 1);
  ThreadPool pool(1);
  const auto community = find_communities(graph, {}, pool);
  for (uint32_t node = 0; node < 300; ++node) EXPECT_EQ(community[node], node % blocks);
}

// A naive twin: every single move is tried, and none may improve modularity.
TEST(Communities, NoSingleMoveImprovesThem) {
  const PageGraph graph = topics::test::block_graph(80, 5, 0.35, 0.08, 5);
  ThreadPool pool(1);
  const TreeOptions options;
  auto community = find_communities(graph, options, pool);
  const double reached = modularity_by_pairs(graph, community, options.resolution);
  const uint32_t count = *std::ranges::max_element(community) + 1;
  for (uint32_t node = 0; node < graph.size(); ++node) {
    const uint32_t own = community[node];
    for (uint32_t other = 0; other < count; ++other) {
      community[node] = other;
      EXPECT_LE(modularity_by_pairs(graph, community, options.resolution), reached + 1e-9);
    }
    community[node] = own;
  }
}

TEST(Communities, AreTheSameForAnyNumberOfThreads) {
  // Enough nodes for batches that are decided in parallel.
  const uint32_t nodes = 70'000;
  std::vector<topics::test::TestEdge> edges;
  for (uint32_t a = 0; a < nodes; ++a) {
    for (const uint32_t step : {1u, 7u, 50u + a % 3}) {
      if (a / 100 == (a + step) / 100 && a + step < nodes)
        edges.push_back({a, a + step, 1000 + a % 17});
    }
    if (a % 10 == 0 && a + 5000 < nodes) edges.push_back({a, a + 5000, 500});
  }
  const PageGraph graph = topics::test::graph_of(nodes, edges);
  ThreadPool one(1);
  ThreadPool four(4);
  EXPECT_EQ(find_communities(graph, {}, one), find_communities(graph, {}, four));
}

TEST(Communities, OfGraphsWithoutEdges) {
  ThreadPool pool(1);
  EXPECT_THAT(find_communities(topics::test::graph_of(0, {}), {}, pool), IsEmpty());
  EXPECT_THAT(find_communities(topics::test::graph_of(3, {}), {}, pool), ElementsAre(0, 1, 2));
  EXPECT_EQ(modularity(topics::test::graph_of(3, {}), alone(3), 1), 0);
}

TEST(LocalMoves, EveryMoveIsAnImprovement) {
  const PageGraph graph = topics::test::block_graph(200, 8, 0.3, 0.05, 11);
  ThreadPool pool(1);
  std::vector<uint32_t> community = alone(200);
  double last = modularity(graph, community, 2);
  for (int sweep = 0; sweep < 5; ++sweep) {
    const uint64_t moves = move_nodes(graph, std::span(community), {2, 1}, pool);
    const double now = modularity(graph, community, 2);
    if (moves > 0) {
      EXPECT_GT(now, last);
    }
    last = now;
  }
}

TEST(Contraction, SumsEdgesBetweenCommunities) {
  const PageGraph graph = topics::test::block_graph(120, 7, 0.3, 0.1, 2);
  std::vector<uint32_t> community(120);
  for (uint32_t node = 0; node < 120; ++node) community[node] = 10 - node % 11;
  const uint32_t count = renumber(community);
  ASSERT_EQ(count, 11u);
  EXPECT_EQ(community[0], 0u);
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    const CommunityGraph contracted = contract(graph, community, count, pool);
    EXPECT_EQ(contracted.total, graph.total);
    for (uint32_t a = 0; a < count; ++a) {
      std::vector<uint64_t> expected(count, 0);
      uint64_t degree = 0;
      for (uint32_t node = 0; node < 120; ++node) {
        if (community[node] != a) continue;
        degree += graph.degree[node];
        for (const auto& edge : graph[node]) expected[community[edge.to]] += edge.weight;
      }
      EXPECT_EQ(contracted.degree[a], degree);
      std::set<uint32_t> seen;
      for (const auto& edge : contracted[a]) {
        EXPECT_TRUE(seen.insert(edge.to).second);
        EXPECT_NE(edge.to, a);
        const uint64_t weight = edge.weight;  // not aligned as EXPECT_EQ wants it
        EXPECT_EQ(weight, expected[edge.to]);
      }
      EXPECT_EQ(seen.size(), count - 1 - std::ranges::count(expected, 0u));
    }
  }
}

}  // namespace
}  // namespace kith::topics
