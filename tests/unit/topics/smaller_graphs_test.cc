// The graphs of less memory: mutual edges, and clusters in the place of pages.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/agreement.h"
#include "topics/neighbour_graph.h"
#include "topics/topic_graphs.h"
#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

using topics::test::Collection;

void expect_equal(const PageGraph& a, const PageGraph& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.total, b.total);
  for (uint32_t node = 0; node < a.size(); ++node) {
    EXPECT_TRUE(std::ranges::equal(a[node], b[node])) << node;
    EXPECT_EQ(a.degree[node], b.degree[node]);
  }
}

TEST(MutualGraph, HasTheEdgesOfTheFullOneThatBothListsHave) {
  const Collection collection(400, 5, 3, 6);
  ThreadPool pool(2);
  const NodeLists lists(collection.neighbours(), collection.nodes(), pool);
  std::vector<std::set<uint32_t>> near(lists.size());
  std::vector<similar::Neighbour> list;
  for (uint32_t node = 0; node < lists.size(); ++node) {
    lists.read(node, list);
    for (const auto& entry : list) near[node].insert(entry.id);
  }
  const PageGraph& full = collection.graph();
  const PageGraph mutual = make_mutual_graph(collection.neighbours(), collection.nodes(), pool);
  ASSERT_EQ(mutual.size(), full.size());
  uint64_t total = 0;
  for (uint32_t node = 0; node < full.size(); ++node) {
    std::vector<Edge<uint32_t>> expected;
    uint64_t degree = 0;
    for (const Edge<uint32_t>& edge : full[node]) {
      if (!near[node].contains(edge.to) || !near[edge.to].contains(node)) continue;
      expected.push_back(edge);
      degree += edge.weight;
    }
    EXPECT_TRUE(std::ranges::equal(mutual[node], expected)) << node;
    EXPECT_EQ(mutual.degree[node], degree);
    total += degree;
  }
  EXPECT_EQ(mutual.total, total);
  EXPECT_LT(mutual.edge_count(), full.edge_count());
  EXPECT_GT(mutual.edge_count(), 0u);
  ThreadPool alone(1);
  expect_equal(mutual, make_mutual_graph(collection.neighbours(), collection.nodes(), alone));
}

// Groups of up to five nodes of one planted topic, each led by its first.
std::vector<uint32_t> some_leaders(const Collection& collection) {
  std::vector<uint32_t> leaders;
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> open;  // by topic: leader, followers
  for (uint32_t node = 0; node < collection.nodes().size(); ++node) {
    auto& [leader, followers] = open[collection.planted()[collection.nodes().page[node]]];
    if (followers == 0) leader = node;
    followers = (followers + 1) % 5;
    leaders.push_back(leader);
  }
  return leaders;
}

TEST(ClusterGraph, HasTheSumsOfTheDefinition) {
  const Collection collection(300, 4, 9, 8);
  const std::vector<uint32_t> leaders = some_leaders(collection);
  constexpr uint32_t most = 3;
  ThreadPool pool(2);
  const NodeLists lists(collection.neighbours(), collection.nodes(), pool);
  std::map<uint32_t, std::map<uint32_t, uint64_t>> sums;
  std::map<uint32_t, uint64_t> degrees;
  std::vector<similar::Neighbour> list;
  for (uint32_t node = 0; node < lists.size(); ++node) {
    lists.read(node, list);
    for (const auto& entry : list) {
      const uint32_t weight = lists.scaled(node, entry);
      if (leaders[entry.id] == leaders[node]) degrees[leaders[node]] += weight;
      if (leaders[entry.id] != leaders[node]) sums[leaders[node]][leaders[entry.id]] += weight;
    }
  }
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> twice;  // both directions
  for (const auto& [from, row] : sums) {
    std::vector<std::pair<uint32_t, uint64_t>> best(row.begin(), row.end());
    std::ranges::sort(best, [](const auto& a, const auto& b) {
      return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    best.resize(std::min<size_t>(best.size(), most));
    for (const auto& [to, weight] : best) twice[std::minmax(from, to)] += weight;
  }
  const PageGraph graph =
      make_cluster_graph(collection.neighbours(), collection.nodes(), leaders, most, pool);
  EXPECT_EQ(graph.edge_count(), twice.size());
  for (uint32_t node = 0; node < graph.size(); ++node) {
    uint64_t degree = degrees.contains(node) ? degrees.at(node) : 0;
    for (const Edge<uint32_t>& edge : graph[node]) {
      const auto found = twice.find(std::minmax(node, edge.to));
      ASSERT_NE(found, twice.end());
      EXPECT_EQ(edge.weight, std::max<uint64_t>(1, (found->second + 1) / 2));
      degree += edge.weight;
    }
    EXPECT_EQ(graph.degree[node], degree);
  }
  ThreadPool alone(1);
  expect_equal(
      graph, make_cluster_graph(collection.neighbours(), collection.nodes(), leaders, most, alone));
}

TEST(ClusterGraph, LeadersAreTheBagsOfCentersWhereThereAreAny) {
  const Collection collection(60, 2, 4);
  const Nodes& nodes = collection.nodes();
  const uint32_t urls = static_cast<uint32_t>(nodes.node_of.size());
  std::vector<uint32_t> centers(urls);
  for (uint32_t url = 0; url < urls; ++url) centers[url] = nodes.page[nodes.size() / 2];
  centers[nodes.page[0]] = nodes.page[0];
  std::vector<uint32_t> members(urls);
  for (uint32_t url = 0; url < urls; ++url) members[url] = url;
  const std::vector<uint64_t> members_at{0, urls};
  const std::vector<uint32_t> sums(urls, 0);
  const std::vector<uint64_t> labels_at{0, 0};
  const std::vector<uint32_t> hosts{0};
  kith::test::MemoryFileSystem fs;
  ASSERT_TRUE(run::write_clusters(fs, "clusters",
                                  {centers, sums, members, members_at, {}, labels_at, hosts}));
  const auto clusters = run::Clusters::open(fs, "clusters").value();
  const std::vector<uint32_t> leaders = find_leaders(clusters, nodes);
  ASSERT_EQ(leaders.size(), nodes.size());
  EXPECT_EQ(leaders[0], 0u);
  for (uint32_t node = 1; node < leaders.size(); ++node) EXPECT_EQ(leaders[node], nodes.size() / 2);
}

TEST(ClusterGraph, ItsTreeHasThePlantedTopicsForAnyThreadsAndMemory) {
  const Collection collection(800, 5, 2);
  const std::vector<uint32_t> leaders = some_leaders(collection);
  ThreadPool pool(1);
  const PageGraph graph =
      make_cluster_graph(collection.neighbours(), collection.nodes(), leaders, 10, pool);
  const std::vector<bool> words(topics::test::terms, true);
  const std::vector<uint32_t> hosts(collection.bags().size(), 0);
  const sketch::BagCollection bags = collection.bags();
  const auto tree_by = [&](unsigned threads, uint64_t memory, uint32_t max_alone) {
    ThreadPool some(threads);
    TreeOptions options;
    options.max_alone = max_alone;
    return make_tree({bags, collection.nodes(), topics::test::terms, words, hosts, {}, {}, memory},
                     {topics::test::copy_of(graph), leaders}, options, some);
  };
  const Tree tree = tree_by(1, UINT64_MAX, 1 << 13);
  std::vector<uint32_t> found;
  std::vector<uint32_t> planted;
  for (uint32_t t = 1; t <= tree.topics[0].children; ++t) {
    for (uint64_t i = tree.topics[t].begin; i < tree.topics[t].end; ++i) {
      found.push_back(t);
      planted.push_back(collection.planted()[collection.nodes().page[tree.nodes[i]]]);
    }
  }
  EXPECT_GT(evaluate::measure_agreement(found, planted).ari, 0.95);
  const Tree other = tree_by(3, 0, 40);
  EXPECT_EQ(other.nodes, tree.nodes);
  EXPECT_EQ(other.topics.size(), tree.topics.size());
}

}  // namespace
}  // namespace kith::topics
