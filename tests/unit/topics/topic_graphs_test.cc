#include "topics/topic_graphs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parallel/thread_pool.h"
#include "base/random.h"
#include "unit/topics/collection.h"

namespace kith::topics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(TopicGraphs, HaveTheEdgesInside) {
  ThreadPool pool(1);
  TopicGraphs graphs(
      topics::test::graph_of(5, {{0, 1, 10}, {1, 2, 20}, {2, 3, 30}, {3, 4, 40}, {1, 4, 50}}),
      {1, 1, 2, 4, 4});
  EXPECT_EQ(graphs.graph(0, 5).edge_count(), 5u);
  EXPECT_THAT(graphs.leaders(0, 5), ElementsAre(1, 1, 2, 4, 4));
  const std::vector<uint32_t> groups{1, 0, 1, 0, 0};
  const std::vector<SplitTopic> root{{0, members_of(groups, 2)}};
  graphs.split(root, pool);

  const PageGraphView first = graphs.graph(0, 3);  // the nodes 1, 3, 4
  EXPECT_THAT(first[0], ElementsAre(Edge<uint32_t>{2, 50}));
  EXPECT_THAT(first[1], ElementsAre(Edge<uint32_t>{2, 40}));
  EXPECT_THAT(first[2], UnorderedElementsAre(Edge<uint32_t>{1, 40}, Edge<uint32_t>{0, 50}));
  EXPECT_THAT(first.degree, ElementsAre(50, 40, 90));
  EXPECT_EQ(first.total, 180u);
  EXPECT_EQ(first.edge_count(), 2u);
  EXPECT_THAT(graphs.leaders(0, 3), ElementsAre(0, 2, 2));

  const PageGraphView second = graphs.graph(3, 5);  // 0 and 2
  EXPECT_THAT(second[0], IsEmpty());
  EXPECT_THAT(second[1], IsEmpty());
  EXPECT_EQ(second.total, 0u);
  EXPECT_THAT(graphs.leaders(3, 5), ElementsAre(0, 1));
}

TEST(TopicGraphs, OfPagesHaveNoLeaders) {
  const TopicGraphs graphs(topics::test::graph_of(2, {{0, 1, 3}}), {});
  EXPECT_THAT(graphs.leaders(0, 2), IsEmpty());
}

// Topics fall into groups three times. By brute force: the edges of the first graph between nodes
// that are still together.
TEST(TopicGraphs, AreThoseOfTheNodesAfterAnySplits) {
  const PageGraph whole = topics::test::block_graph(500, 3, 0.1, 0.05, 5);
  const auto n = static_cast<uint32_t>(whole.size());
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    Rng rng(threads);
    TopicGraphs graphs(topics::test::copy_of(whole), {});
    std::vector<uint32_t> node_at(n);
    for (uint32_t i = 0; i < n; ++i) node_at[i] = i;
    std::vector<std::pair<uint64_t, uint64_t>> topics{{0, n}};
    for (int depth = 0; depth < 3; ++depth) {
      std::vector<SplitTopic> splits;
      std::vector<std::pair<uint64_t, uint64_t>> next;
      for (const auto& [begin, end] : topics) {
        if (begin == end || (begin > 0 && rng.below(4) == 0)) continue;  // a leaf
        std::vector<uint32_t> groups(end - begin);
        for (uint32_t& group : groups) group = static_cast<uint32_t>(rng.below(3));
        splits.push_back({begin, members_of(groups, 3)});
        const Members& members = splits.back().members;
        const std::vector<uint32_t> before(node_at.begin() + static_cast<ptrdiff_t>(begin),
                                           node_at.begin() + static_cast<ptrdiff_t>(end));
        for (size_t i = 0; i < before.size(); ++i) node_at[begin + i] = before[members.items[i]];
        for (int g = 0; g < 3; ++g)
          next.emplace_back(begin + members.at[g], begin + members.at[g + 1]);
      }
      graphs.split(splits, pool);
      topics = next;
      for (const auto& [begin, end] : topics) {
        const PageGraphView part = graphs.graph(begin, end);
        std::map<uint32_t, uint32_t> place;  // by node
        for (uint64_t i = begin; i < end; ++i) {
          place[node_at[i]] = static_cast<uint32_t>(i - begin);
        }
        uint64_t total = 0;
        for (uint32_t i = 0; i < part.size(); ++i) {
          std::vector<Edge<uint32_t>> expected;
          uint64_t degree = 0;
          for (const Edge<uint32_t>& edge : whole[node_at[begin + i]]) {
            if (!place.contains(edge.to)) continue;
            expected.push_back({place.at(edge.to), edge.weight});
            degree += edge.weight;
          }
          EXPECT_TRUE(std::ranges::equal(part[i], expected));
          EXPECT_EQ(part.degree[i], degree);
          total += degree;
        }
        EXPECT_EQ(part.total, total);
      }
    }
  }
}

}  // namespace
}  // namespace kith::topics
