#include <gtest/gtest.h>

#include "cluster/plan/similarity_plan.h"
#include "unit/similar/collections.h"

namespace kith::cluster {
namespace {

constexpr double threshold_similarity = 0.2;

// The whole choice for a collection, as if it had so many different bags.
struct ChoiceCase {
  explicit ChoiceCase(const sketch::BagCollection& collection) : bags(collection) {
    ThreadPool pool(2);
    groups = similar::find_duplicates(bags, pool);
    sample = choose_threshold(bags, groups, {}, pool).sample;
    distinct = similar::distinct_bags(bags, groups).size();
    job.distinct_bags = distinct;
    job.entries_per_bag = 40;
  }
  PairStatistics statistics() const { return {sample, groups, distinct}; }
  ExactCost exact() const {
    return cost_of_exact(bags, sample, statistics(), job, threshold_similarity);
  }
  double tables() const {
    return choose_table_costs(statistics(), job, {.threshold = threshold_similarity})
        ->best()
        .seconds;
  }
  kith::EngineChoice choose(kith::EngineChoice request = kith::EngineChoice::automatic) const {
    return choose_engine(exact(), tables(), request);
  }

  sketch::BagCollection bags;
  similar::DuplicateGroups groups;
  evaluate::BruteForceResult sample;
  uint64_t distinct;
  JobShape job;
};

class EngineChoice : public testing::Test {
 protected:
  test::OwnedBags bags_ = test::random_bags({.bags = 2000, .words = 40, .seed = 6});
  ChoiceCase case_{bags_.view()};
};

TEST_F(EngineChoice, SmallCrawlsAreJoinedExactly) {
  EXPECT_EQ(case_.choose(), kith::EngineChoice::exact);
  EXPECT_GT(case_.exact().postings, 0);
  EXPECT_GT(case_.exact().seconds, 0);
}

TEST_F(EngineChoice, TheExactCostIsQuadraticSoLargeCrawlsTakeTables) {
  const double small = case_.exact().postings;
  case_.job.distinct_bags *= 10;
  EXPECT_NEAR(case_.exact().postings, 100 * small, 1e-6 * 100 * small);
  case_.job.distinct_bags = 20'000'000;
  EXPECT_EQ(case_.choose(), kith::EngineChoice::lsh);
  EXPECT_LT(case_.tables(), case_.exact().seconds);
}

TEST_F(EngineChoice, ARequestIsObeyed) {
  EXPECT_EQ(case_.choose(kith::EngineChoice::lsh), kith::EngineChoice::lsh);
  EXPECT_EQ(case_.choose(kith::EngineChoice::exact), kith::EngineChoice::exact);
}

TEST_F(EngineChoice, ABearablePriceIsPaidForMissingNothing) {
  ExactCost exact;
  exact.seconds = bearable_seconds;
  EXPECT_EQ(choose_engine(exact, 1.0, kith::EngineChoice::automatic), kith::EngineChoice::exact);
  exact.seconds = bearable_seconds + 1;
  EXPECT_EQ(choose_engine(exact, 1.0, kith::EngineChoice::automatic), kith::EngineChoice::lsh);
  EXPECT_EQ(choose_engine(exact, exact.seconds, kith::EngineChoice::automatic),
            kith::EngineChoice::exact);
  EXPECT_EQ(choose_engine(exact, {}, kith::EngineChoice::automatic), kith::EngineChoice::exact);
}

TEST(EngineChoiceOf, EdgeCollectionsIsExact) {
  for (const similar::NamedBags& named : similar::edge_collections()) {
    EXPECT_EQ(ChoiceCase(named.bags.view()).choose(), kith::EngineChoice::exact) << named.name;
  }
}

}  // namespace
}  // namespace kith::cluster
