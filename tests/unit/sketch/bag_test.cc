#include "sketch/bag.h"

#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "bag_pairs.h"

namespace kith::sketch {
namespace {

using test::OwnedBag;

uint32_t sum_of_minima_by_map(Bag a, Bag b) {
  std::map<uint32_t, uint32_t> weights;
  for (const BagEntry entry : a) weights[entry.term] = entry.weight;
  uint32_t sum = 0;
  for (const BagEntry entry : b) {
    const auto found = weights.find(entry.term);
    if (found != weights.end()) sum += std::min(found->second, entry.weight);
  }
  return sum;
}

TEST(Bag, SumOfMinimaAgreesWithItsSlowTwin) {
  Rng rng(1);
  for (int i = 0; i < 300; ++i) {
    const auto [a, b] = test::random_pair(rng, 1 + rng.below(60), rng.uniform());
    EXPECT_EQ(sum_of_minima(a, b), sum_of_minima_by_map(a, b));
    EXPECT_EQ(sum_of_minima(a, b), sum_of_minima(b, a));
    EXPECT_EQ(sum_of_minima(a, a), bag_total);
  }
}

TEST(Bag, SimilarityOfExtremes) {
  const OwnedBag one = {{7, bag_total}};
  const OwnedBag other = {{8, bag_total}};
  const OwnedBag last = {{std::numeric_limits<uint32_t>::max(), bag_total}};
  EXPECT_EQ(similarity(one, one), 1.0);
  EXPECT_EQ(similarity(last, last), 1.0);
  EXPECT_EQ(similarity(one, other), 0.0);
  EXPECT_EQ(similarity(one, last), 0.0);
  EXPECT_EQ(similarity(one, {}), 0.0);
  EXPECT_EQ(similarity({}, {}), 0.0);
}

TEST(Bag, HalfTheWeightInCommonIsAThirdSimilar) {
  const OwnedBag a = {{1, bag_total / 2}, {2, bag_total / 2}};
  const OwnedBag b = {{2, bag_total / 2}, {3, bag_total / 2}};
  EXPECT_DOUBLE_EQ(similarity(a, b), 1.0 / 3.0);
}

TEST(Bag, LeastSumOfMinimaIsTheLeast) {
  for (const double s : {1e-9, 0.05, 0.2, 1.0 / 3.0, 0.5, 0.9, 0.999999, 1.0}) {
    const uint32_t least = min_sum_of_minima(s);
    EXPECT_GE(similarity_of(least), s);
    ASSERT_GT(least, 0u);
    EXPECT_LT(similarity_of(least - 1), s);
  }
  // The paper: sim >= 0.2 means A >= 33.34.
  EXPECT_NEAR(min_sum_of_minima(0.2) / double{weight_one}, 33.34, 0.01);
}

TEST(BagCollection, GivesTheBagsOfItsArrays) {
  const OwnedBag entries = {{1, bag_total}, {2, bag_total / 4}, {5, bag_total - bag_total / 4}};
  const std::vector<uint64_t> offsets = {0, 1, 1, 3};
  const BagCollection bags(offsets, entries);
  ASSERT_EQ(bags.size(), 3u);
  EXPECT_EQ(bags[0].size(), 1u);
  EXPECT_TRUE(bags[1].empty());
  EXPECT_EQ(bags[2][1], entries[2]);
  EXPECT_EQ(BagCollection().size(), 0u);
}

}  // namespace
}  // namespace kith::sketch
