#include "cluster/plan/table_costs.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cluster/plan/similarity_plan.h"
#include "unit/similar/collections.h"

namespace kith::cluster {
namespace {

class TableCosts : public testing::Test {
 protected:
  TableCosts() {
    ThreadPool pool(2);
    groups_ = similar::find_duplicates(bags_.view(), pool);
    sample_ = choose_threshold(bags_.view(), groups_, {}, pool).sample;
  }
  PairStatistics statistics() const { return {sample_, groups_, 1900}; }
  TableChoice choose(uint64_t distinct, TableRequest request = {}) const {
    job_.distinct_bags = distinct;
    job_.meetings = meetings(static_cast<double>(distinct));
    auto choice = choose_table_costs(statistics(), job_, request);
    EXPECT_TRUE(choice.is_ok());
    return *choice;
  }

  // What buckets that are split at the usual bound let meet, if all pairs are at 0.01.
  static Meetings meetings(double distinct) {
    Meetings all{};
    for (uint32_t k = 1; k < all.size(); ++k) {
      const double others = distinct * std::pow(0.01, k);
      all[k] = {std::min(others, double{similar::largest_bucket}),
                others > similar::largest_bucket ? 1.0 : 0.0};
    }
    return all;
  }

  // Most pairs have a little in common, as in a large crawl.
  test::OwnedBags bags_ =
      test::random_bags({.bags = 2000, .words = 40, .topics = 400, .family_share = 0, .seed = 6});
  similar::DuplicateGroups groups_;
  evaluate::BruteForceResult sample_;
  mutable JobShape job_{.entries_per_bag = 40, .top = 20};
};

TEST_F(TableCosts, ComparisonsFollowTheMeetings) {
  JobShape job = job_;
  job.distinct_bags = 1'000'000;
  job.top = 0;
  job.meetings[3].others = 17;
  const sketch::TableParams tables{.per_key = 3, .tables = 100};
  const PairStatistics pairs = statistics();
  const double leaders = expected_leaders(pairs, job, 0.2);
  EXPECT_DOUBLE_EQ(leaders, 1e6 * pairs.leader_share(0.2, 1e6));
  const TableCost cost = cost_of_tables(pairs, job, 0.2, leaders, tables);
  EXPECT_NEAR(cost.candidates, (1e6 + leaders) / 2 * 100 * 17, 1e-6 * cost.candidates);
  EXPECT_NEAR(cost.probes, 100 * (2 * 1e6 + 1e6 + leaders), 1);
  EXPECT_EQ(cost.recall, sketch::collision_probability(0.2, tables));
  EXPECT_GT(cost.memory, 0);
  EXPECT_LT(cost.memory, 100 * 1e6 * 8);
}

TEST_F(TableCosts, TheCheapestIsChosenOfAllThatReachTheRecall) {
  const TableChoice choice = choose(1'000'000);
  EXPECT_EQ(choice.threshold, 0.2);
  ASSERT_GE(choice.considered.size(), 2u);
  for (size_t i = 0; i < choice.considered.size(); ++i) {
    const TableCost& cost = choice.considered[i];
    EXPECT_EQ(cost.per_key, i + 2);  // with one minimum a key all buckets would be split
    EXPECT_LE(cost.tables, 512u);
    EXPECT_GE(cost.recall, 0.9);
    EXPECT_GE(cost.seconds, choice.best().seconds);
    if (i == 0) continue;
    EXPECT_LT(cost.candidates, choice.considered[i - 1].candidates);
    EXPECT_GT(cost.probes, choice.considered[i - 1].probes);
  }
}

// Until the bound on buckets, candidates grow with the square of the bags; probes in proportion.
TEST_F(TableCosts, LargerCrawlsTakeMoreSelectiveKeys) {
  uint32_t before = 0;
  for (const uint64_t n : {1'000u, 100'000u, 1'000'000u, 50'000'000u}) {
    const uint32_t per_key = choose(n).best().per_key;
    EXPECT_GE(per_key, before) << n;
    before = per_key;
  }
  EXPECT_LT(choose(1000).best().per_key, before);
  EXPECT_GE(before, 2u);
  EXPECT_LT(choose(50'000'000, {.max_tables = 20}).best().per_key, before);
}

TEST_F(TableCosts, WhereAllKeysAreSplitTheMostSelectiveAreTaken) {
  job_.distinct_bags = 1'000'000;
  for (uint32_t k = 1; k <= sketch::max_per_key; ++k) job_.meetings[k] = {511, 1.0 / k};
  const TableChoice choice = choose_table_costs(statistics(), job_, {.max_tables = 100}).value();
  ASSERT_EQ(choice.considered.size(), 1u);
  EXPECT_EQ(choice.best().per_key, 2u);
}

TEST_F(TableCosts, AThresholdRisesToWhatIsAffordable) {
  const uint64_t n = 20'000'000;
  const TableRequest request{.threshold = 0.05, .may_rise = true};
  const TableChoice risen = choose(n, request);
  EXPECT_GT(risen.threshold, 0.05);
  EXPECT_LE(risen.best().seconds, affordable_seconds(job_));
  EXPECT_GT(choose(n, {.threshold = risen.threshold - 0.01}).best().seconds,
            affordable_seconds(job_));
  EXPECT_EQ(choose(n, {.threshold = 0.05}).threshold, 0.05);
  EXPECT_EQ(choose(1000, request).threshold, 0.05);
}

TEST_F(TableCosts, AThresholdRisesToWhatCanBeReached) {
  const TableChoice risen = choose(1000, {.threshold = 0.05, .may_rise = true, .max_tables = 5});
  EXPECT_GT(risen.threshold, 0.05);
  EXPECT_LT(risen.threshold, 0.6);
  EXPECT_LE(risen.best().tables, 5u);
  const auto refused = choose_table_costs(statistics(), job_, {.threshold = 0.05, .max_tables = 5});
  ASSERT_FALSE(refused.is_ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
}

TEST_F(TableCosts, EqualPagesAloneAreNoSpecialCase) {
  EXPECT_GE(choose(1000, {.threshold = 1}).best().recall, 0.9);
}

}  // namespace
}  // namespace kith::cluster
