#include "plan/engine_choice.h"

#include <gtest/gtest.h>

#include "plan/similarity_threshold.h"
#include "unit/pairs/collections.h"

namespace kith::pairs {
namespace {

constexpr double threshold_similarity = 0.2;

// The whole choice for a collection, as if it had so many different bags.
struct Case {
  explicit Case(const BagCollection& collection) : bags(collection) {
    ThreadPool pool(2);
    groups = find_duplicates(bags, pool);
    sample = choose_threshold(bags, groups, {}, pool).sample;
    distinct = distinct_bags(bags, groups).size();
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
  Engine choose(Engine request = Engine::automatic) const {
    return choose_engine(exact(), tables(), request);
  }

  BagCollection bags;
  DuplicateGroups groups;
  BruteForceResult sample;
  uint64_t distinct;
  JobShape job;
};

class EngineChoice : public testing::Test {
 protected:
  test::OwnedBags bags_ = test::random_bags({.bags = 2000, .words = 40, .seed = 6});
  Case case_{bags_.view()};
};

TEST_F(EngineChoice, SmallCrawlsAreJoinedExactly) {
  EXPECT_EQ(case_.choose(), Engine::exact);
  EXPECT_GT(case_.exact().postings, 0);
  EXPECT_GT(case_.exact().seconds, 0);
}

TEST_F(EngineChoice, TheExactCostIsQuadraticSoLargeCrawlsTakeTables) {
  const double small = case_.exact().postings;
  case_.job.distinct_bags *= 10;
  EXPECT_NEAR(case_.exact().postings, 100 * small, 1e-6 * 100 * small);
  case_.job.distinct_bags = 20'000'000;
  EXPECT_EQ(case_.choose(), Engine::lsh);
  EXPECT_LT(case_.tables(), case_.exact().seconds);
}

TEST_F(EngineChoice, ARequestIsObeyed) {
  EXPECT_EQ(case_.choose(Engine::lsh), Engine::lsh);
  EXPECT_EQ(case_.choose(Engine::exact), Engine::exact);
}

TEST_F(EngineChoice, ABearablePriceIsPaidForMissingNothing) {
  ExactCost exact;
  exact.seconds = bearable_seconds;
  EXPECT_EQ(choose_engine(exact, 1.0, Engine::automatic), Engine::exact);
  exact.seconds = bearable_seconds + 1;
  EXPECT_EQ(choose_engine(exact, 1.0, Engine::automatic), Engine::lsh);
  EXPECT_EQ(choose_engine(exact, exact.seconds, Engine::automatic), Engine::exact);
  EXPECT_EQ(choose_engine(exact, {}, Engine::automatic), Engine::exact);
}

TEST(EngineChoiceOf, EdgeCollectionsIsExact) {
  for (const NamedBags& named : edge_collections()) {
    EXPECT_EQ(Case(named.bags.view()).choose(), Engine::exact) << named.name;
  }
}

}  // namespace
}  // namespace kith::pairs
