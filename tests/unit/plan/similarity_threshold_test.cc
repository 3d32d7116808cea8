#include "plan/similarity_threshold.h"

#include <cmath>

#include <gtest/gtest.h>

#include "unit/evaluate/brute_force_plain.h"
#include "unit/pairs/collections.h"

namespace kith::pairs {
namespace {

TEST(Threshold, IsTheMedianSimilarityToTheTenthNeighbour) {
  const test::OwnedBags owned = test::random_bags(
      {.bags = 900, .words = 20, .topics = 10, .topic_words = 25, .family_share = 0, .seed = 4});
  const BagCollection bags = owned.view();
  ThreadPool pool(2);
  const ThresholdOptions options{.queries = 101};
  const ThresholdChoice choice = choose_threshold(bags, find_duplicates(bags, pool), options, pool);
  EXPECT_EQ(choice.queries, 101u);
  std::vector<double> tenth;
  for (const uint32_t id : sample_queries(bags, 101, options.seed)) {
    tenth.push_back(similarity_of(truth_of(bags, id, {.top = 10}).nearest.at(9).sum_of_minima));
  }
  std::sort(tenth.begin(), tenth.end());
  EXPECT_EQ(choice.median, tenth[50]);
  EXPECT_EQ(choice.ranks[1].p50, tenth[50]);
  EXPECT_EQ(choice.ranks[1].p10, tenth[10]);
  EXPECT_EQ(choice.ranks[1].p90, tenth[90]);
  EXPECT_LE(choice.similarity, choice.median);
  EXPECT_GT(choice.similarity, choice.median - 0.01);
  EXPECT_GT(choice.similarity, 0.05);
  EXPECT_LT(choice.similarity, 0.5);
  EXPECT_GE(choice.ranks[0].p50, choice.ranks[1].p50);
  EXPECT_GE(choice.ranks[1].p50, choice.ranks[2].p50);
}

TEST(Threshold, StaysWithinItsBounds) {
  ThreadPool pool(1);
  for (const NamedBags& named : edge_collections()) {
    const BagCollection bags = named.bags.view();
    const ThresholdChoice choice = choose_threshold(bags, find_duplicates(bags, pool), {}, pool);
    EXPECT_GE(choice.similarity, 0.05) << named.name;
    EXPECT_LE(choice.similarity, 0.5) << named.name;
    if (named.name == "none" || named.name == "all empty") {
      EXPECT_EQ(choice.queries, 0u);
      EXPECT_EQ(choice.similarity, 0.5);
    }
    if (named.name == "all equal") {
      EXPECT_EQ(choice.median, 1.0);
      EXPECT_EQ(choice.similarity, 0.5);
    }
    if (named.name == "all different") {
      EXPECT_EQ(choice.median, 0.0);
      EXPECT_EQ(choice.similarity, 0.05);
    }
  }
}

}  // namespace
}  // namespace kith::pairs
