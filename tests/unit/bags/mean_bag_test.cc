#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "bags/weights.h"

namespace kith::bags {
namespace {

constexpr uint32_t half_bag = sketch::bag_total / 2;

std::vector<sketch::BagEntry> taken(MeanBag& mean, uint32_t max_terms) {
  std::vector<sketch::BagEntry> bag{{1, 1}};
  mean.take(max_terms, bag);
  return bag;
}

TEST(MeanBag, OfNothingIsEmpty) {
  MeanBag mean;
  EXPECT_TRUE(taken(mean, 150).empty());
  mean.add({}, 7);
  EXPECT_TRUE(taken(mean, 150).empty());
}

TEST(MeanBag, OfOneIsThatOne) {
  const std::vector<sketch::BagEntry> bag{{3, half_bag},
                                          {std::numeric_limits<uint32_t>::max(), half_bag}};
  MeanBag mean;
  mean.add(bag, 9);
  EXPECT_EQ(taken(mean, 150), bag);
}

TEST(MeanBag, GoesByShares) {
  const std::vector<sketch::BagEntry> a{{1, sketch::bag_total}};
  const std::vector<sketch::BagEntry> b{{2, sketch::bag_total}};
  MeanBag mean;
  mean.add(a, 1);
  mean.add(b, 3);
  const std::vector<sketch::BagEntry> made = taken(mean, 150);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_NEAR(made[0].weight, sketch::bag_total / 4, 1);
  EXPECT_EQ(made[0].weight + made[1].weight, sketch::bag_total);
}

TEST(MeanBag, StartsOverAndDoesNotDependOnTheOrder) {
  const std::vector<sketch::BagEntry> a{{1, half_bag}, {2, half_bag}};
  const std::vector<sketch::BagEntry> b{{2, half_bag}, {7, half_bag}};
  MeanBag mean;
  mean.add(a, 5);
  mean.add(b, 11);
  const std::vector<sketch::BagEntry> made = taken(mean, 150);
  mean.add(b, 11);
  mean.add(a, 5);
  EXPECT_EQ(taken(mean, 150), made);
}

TEST(MeanBag, IsCutAtTheLargestSumsAndOfEqualOnesAtTheSmallestTerms) {
  const std::vector<sketch::BagEntry> a{
      {1, half_bag / 2}, {2, half_bag / 2}, {3, half_bag / 2}, {4, half_bag / 2}};
  const std::vector<sketch::BagEntry> b{{4, sketch::bag_total}};
  MeanBag mean;
  mean.add(a, 1);
  mean.add(b, 1);
  const std::vector<sketch::BagEntry> made = taken(mean, 2);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].term, 1u);
  EXPECT_EQ(made[1].term, 4u);
  EXPECT_EQ(made[0].weight + made[1].weight, sketch::bag_total);
}

TEST(MeanBag, HasRoomForTheLargestShares) {
  const std::vector<sketch::BagEntry> bag{{1, sketch::bag_total - 1}, {2, 1}};
  MeanBag mean;
  mean.add(bag, 1 << 29);
  mean.add(bag, 1 << 29);
  const std::vector<sketch::BagEntry> made = taken(mean, 150);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_NEAR(made[0].weight, sketch::bag_total - 1, 1);
  EXPECT_EQ(made[0].weight + made[1].weight, sketch::bag_total);
}

}  // namespace
}  // namespace kith::bags
