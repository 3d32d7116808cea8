#include "cluster/order.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Order, ByKeyIsDescendingWithTiesById) {
  ThreadPool pool(2);
  EXPECT_THAT(order_by_key(std::vector<uint64_t>{5, 9, 5, 0, UINT64_MAX}, pool),
              ElementsAre(4, 1, 0, 2, 3));
  EXPECT_THAT(order_by_key({}, pool), IsEmpty());
}

TEST(Order, ById) {
  EXPECT_THAT(order_by_id(3), ElementsAre(0, 1, 2));
}

TEST(Order, RandomIsASeededPermutation) {
  const auto order = random_order(1000, 1);
  EXPECT_EQ(order, random_order(1000, 1));
  EXPECT_NE(order, random_order(1000, 2));
  EXPECT_TRUE(std::ranges::is_permutation(order, order_by_id(1000)));
  EXPECT_THAT(random_order(0, 1), IsEmpty());
  EXPECT_THAT(random_order(1, 1), ElementsAre(0));
}

// Each of the 6 permutations of 3 ids comes up about equally often: 6000 draws, mean 1000,
// standard deviation 29; the bounds are over five of these away.
TEST(Order, RandomIsUniform) {
  std::vector<uint32_t> counts(6, 0);
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    const auto order = random_order(3, seed);
    ++counts[order[0] * 2 + (order[1] > order[2])];
  }
  for (const uint32_t count : counts) {
    EXPECT_GT(count, 850u);
    EXPECT_LT(count, 1150u);
  }
}

TEST(Order, AutomaticFollowsTheEngine) {
  EXPECT_EQ(resolve_order(Order::automatic, true), Order::degree);
  EXPECT_EQ(resolve_order(Order::automatic, false), Order::mass);
  EXPECT_EQ(resolve_order(Order::url, true), Order::url);
}

}  // namespace
}  // namespace kith::cluster
