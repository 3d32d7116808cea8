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

TEST(Order, Ranks) {
  EXPECT_THAT(ranks_of(std::vector<uint32_t>{2, 0}, 3), ElementsAre(1, no_rank, 0));
}

TEST(Order, AutomaticFollowsTheEngine) {
  EXPECT_EQ(resolve_order(Order::automatic, true), Order::degree);
  EXPECT_EQ(resolve_order(Order::automatic, false), Order::mass);
  EXPECT_EQ(resolve_order(Order::url, true), Order::url);
}

TEST(Order, CollapsedGroupsStandAtTheirBestRank) {
  const std::vector<uint32_t> representative{0, 1, 0, 1, 4};
  EXPECT_THAT(collapse_order(std::vector<uint32_t>{3, 2, 1, 4, 0}, representative),
              ElementsAre(1, 0, 4));
}

TEST(LshMass, CountsCollisions) {
  const test::Collection collection(
      kith::test::random_bags({.bags = 300, .words = 8, .vocabulary = 50, .topics = 4}));
  const Signatures signatures = collection.sketched().signatures;
  const lsh::Tables tables({.lanes = test::lanes, .per_key = 2, .tables = 9});
  std::vector<uint32_t> ids;
  std::vector<uint32_t> multiplicity;
  for (uint32_t id = 0; id < collection.size(); ++id) {
    multiplicity.push_back(1 + id % 3);
    if (id % 5 != 0) ids.push_back(id);
  }
  std::vector<uint64_t> plain(collection.size(), 0);
  std::vector<uint64_t> weighted(collection.size(), 0);
  for (const uint32_t a : ids) {
    for (uint32_t table = 0; table < 9; ++table) {
      weighted[a] += multiplicity[a] - 1;
      for (const uint32_t b : ids) {
        if (a == b || tables.key(table, signatures[a]) != tables.key(table, signatures[b]))
          continue;
        plain[a] += 1;
        weighted[a] += multiplicity[b];
      }
    }
  }
  for (const unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    for (const uint64_t memory : {0u, 12'000u, 1u << 30}) {  // of one, a few and all tables
      EXPECT_EQ(lsh_mass(tables, signatures, ids, {}, memory, pool), plain);
      EXPECT_EQ(lsh_mass(tables, signatures, ids, multiplicity, memory, pool), weighted);
      EXPECT_EQ(lsh_mass(tables, signatures, {}, {}, memory, pool), std::vector<uint64_t>(300, 0));
    }
  }
}

// One bucket that is longer than what a thread takes at a time.
TEST(LshMass, OneBucketOverManyChunks) {
  constexpr uint32_t n = 10000;
  const std::vector<uint16_t> values(size_t{n} * 16, 3);
  const lsh::Tables tables({.lanes = 16, .per_key = 2, .tables = 3});
  ThreadPool pool(3);
  EXPECT_EQ(lsh_mass(tables, Signatures(values, 16), order_by_id(n), {}, 1 << 20, pool),
            std::vector<uint64_t>(n, 3 * (n - 1)));
}

TEST(LshMass, CountsNoMoreThanSoManyTables) {
  constexpr uint32_t n = 100;
  const std::vector<uint16_t> values(size_t{n} * 128, 3);
  const lsh::Tables tables({.lanes = 128, .per_key = 2, .tables = most_mass_tables + 9});
  ThreadPool pool(1);
  EXPECT_EQ(lsh_mass(tables, Signatures(values, 128), order_by_id(n), {}, 1 << 20, pool),
            std::vector<uint64_t>(n, most_mass_tables * (n - 1)));
}

}  // namespace
}  // namespace kith::cluster
