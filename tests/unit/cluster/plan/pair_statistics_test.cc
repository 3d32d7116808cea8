#include <gtest/gtest.h>

#include "cluster/plan/table_costs.h"
#include "unit/similar/collections.h"

namespace kith::cluster {
namespace {

// With every bag as a query the statistics are those of all pairs, whatever share are duplicates.
TEST(PairStatistics, AreThoseOfThePairsOfDifferentBags) {
  const test::OwnedBags owned = test::random_bags({.bags = 700,
                                                   .words = 15,
                                                   .topics = 5,
                                                   .duplicate_share = 0.4,
                                                   .empty_share = 0.1,
                                                   .seed = 3});
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(2);
  const similar::DuplicateGroups groups = similar::find_duplicates(bags, pool);
  const std::vector<uint32_t> ids = similar::distinct_bags(bags, groups);
  ASSERT_LT(ids.size(), 500u);
  const evaluate::BruteForceResult sample =
      evaluate::brute_force(bags, evaluate::sample_queries(bags, bags.size(), 1),
                            {.top = 1, .histogram_groups = &groups}, pool);
  const PairStatistics statistics(sample, groups, ids.size());

  constexpr double threshold = 0.2;
  double above = 0;
  double leaders = 0;
  for (const uint32_t a : ids) {
    double degree = 0;
    for (const uint32_t b : ids) {
      if (a == b) continue;
      const double s = sketch::similarity(bags[a], bags[b]);
      degree += s >= threshold ? 1 : 0;
    }
    above += degree;
    leaders += 1 / (degree + 1);
  }
  const auto n = static_cast<double>(ids.size());
  EXPECT_NEAR(statistics.share_above(threshold), above / (n * (n - 1)),
              0.15 * above / (n * (n - 1)));
  EXPECT_NEAR(statistics.leader_share(threshold, n), leaders / n, 0.1 * leaders / n);
  EXPECT_LT(statistics.leader_share(threshold, 10 * n), statistics.leader_share(threshold, n));
  EXPECT_NEAR(statistics.leader_share(1.1, n), 1, 1e-9);
  EXPECT_EQ(statistics.share_above(1.1), 0);
}

TEST(PairStatistics, OfNothingAreZero) {
  const evaluate::BruteForceResult sample;
  const PairStatistics statistics(sample, similar::no_duplicates(3), 0);
  EXPECT_EQ(statistics.share_above(0.1), 0);
  EXPECT_EQ(statistics.leader_share(0.1, 3), 0);
}

}  // namespace
}  // namespace kith::cluster
