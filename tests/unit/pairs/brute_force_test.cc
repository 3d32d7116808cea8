#include "pairs/brute_force.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "unit/pairs/collections.h"

namespace kith::pairs {
namespace {

TEST(BruteForce, AgreesWithItsPlainTwin) {
  for (const NamedBags& named : all_collections(400)) {
    const BagCollection bags = named.bags.view();
    const std::vector<uint32_t> queries = all_ids(bags);
    const BruteForceOptions options{.least_sum = least_sum_of_minima(0.2), .top = 7};
    const BruteForceResult plain = brute_force_plain(bags, queries, options);
    for (const unsigned threads : {1u, 2u, 5u}) {
      ThreadPool pool(threads);
      const BruteForceResult fast = brute_force(bags, queries, options, pool);
      ASSERT_EQ(fast.queries.size(), plain.queries.size()) << named.name;
      for (size_t i = 0; i < plain.queries.size(); ++i) {
        EXPECT_EQ(fast.queries[i].id, plain.queries[i].id);
        EXPECT_EQ(fast.queries[i].similar, plain.queries[i].similar) << named.name;
        EXPECT_EQ(fast.queries[i].nearest, plain.queries[i].nearest) << named.name;
      }
      EXPECT_EQ(fast.histogram.counts(), plain.histogram.counts()) << named.name;
    }
  }
}

TEST(BruteForce, NearestFollowsTheTieRule) {
  test::OwnedBags bags;
  for (int i = 0; i < 9; ++i) bags.add(std::vector<std::pair<uint32_t, double>>{{1, 1.0}});
  const std::vector<uint32_t> queries{4};
  const QueryTruth truth =
      brute_force_plain(bags.view(), queries, {.least_sum = bag_total, .top = 5}).queries[0];
  const std::vector<Neighbour> expected{
      {0, bag_total}, {1, bag_total}, {2, bag_total}, {3, bag_total}, {5, bag_total}};
  EXPECT_EQ(truth.nearest, expected);
  EXPECT_EQ(truth.similar.size(), 8u);
}

TEST(Sample, IsSeededSortedAndWithoutEmptyBags) {
  const test::OwnedBags bags = test::random_bags({.bags = 500, .empty_share = 0.5, .seed = 3});
  const std::vector<uint32_t> sample = sample_queries(bags.view(), 50, 7);
  EXPECT_EQ(sample.size(), 50u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
  for (const uint32_t id : sample) EXPECT_FALSE(bags[id].empty());
  EXPECT_EQ(sample, sample_queries(bags.view(), 50, 7));
  EXPECT_NE(sample, sample_queries(bags.view(), 50, 8));
  const size_t non_empty = static_cast<size_t>(
      std::count_if(sample.begin(), sample.end(), [&](uint32_t id) { return !bags[id].empty(); }));
  EXPECT_EQ(non_empty, 50u);
  EXPECT_LT(sample_queries(bags.view(), 10'000, 7).size(), 400u);
}

}  // namespace
}  // namespace kith::pairs
