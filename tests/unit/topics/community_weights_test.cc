#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "topics/communities.h"
#include "topics/graph.h"

namespace kith::topics {
namespace {

// Of which two kinds of table is used depends on the number of communities.
class CommunityWeightsOf : public ::testing::TestWithParam<uint32_t> {};

TEST_P(CommunityWeightsOf, AreThoseOfAMap) {
  const uint32_t communities = GetParam();
  Rng rng(3);
  std::vector<uint32_t> community(500);
  // Few of them, so that each is met often.
  for (uint32_t& c : community) c = static_cast<uint32_t>(rng.below(40)) * (communities / 40);
  CommunityWeights weights;
  for (const size_t edges : {30u, 0u, 400u, 7u}) {
    std::vector<Edge<uint32_t>> row;
    for (size_t i = 0; i < edges; ++i) {
      row.push_back({static_cast<uint32_t>(rng.below(community.size())),
                     1 + static_cast<uint32_t>(rng.below(1000))});
    }
    weights.begin(edges + 1, communities);
    weights.add(row, community, [](const Edge<uint32_t>& edge) { return edge.to % 3 != 0; });
    weights.add(communities - 1, 5);
    std::map<uint32_t, uint64_t> expected;
    std::vector<uint32_t> order;
    const auto enter = [&](uint32_t c, uint64_t weight) {
      if (expected[c] == 0) order.push_back(c);
      expected[c] += weight;
    };
    for (const auto& edge : row) {
      if (edge.to % 3 != 0) enter(community[edge.to], edge.weight);
    }
    enter(communities - 1, 5);
    ASSERT_EQ(weights.size(), order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      EXPECT_EQ(weights[i].community, order[i]);
      EXPECT_EQ(weights[i].weight, expected[order[i]]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FewAndMany, CommunityWeightsOf, ::testing::Values(40u, 1u << 24));

// One object is used for graphs of all sizes.
TEST(CommunityWeights, ForgetWhatWasAddedInATableOfTheOtherKind) {
  CommunityWeights weights;
  for (const uint32_t communities : {50u, 1u << 20, 50u, 1u << 20}) {
    weights.begin(10, communities);
    EXPECT_EQ(weights.size(), 0u);
    for (uint32_t c = 40; c < 50; ++c) weights.add(c, c);
    ASSERT_EQ(weights.size(), 10u);
    for (uint32_t i = 0; i < 10; ++i) {
      EXPECT_EQ(weights[i].community, 40 + i);
      EXPECT_EQ(weights[i].weight, 40 + i);
    }
  }
}

}  // namespace
}  // namespace kith::topics
