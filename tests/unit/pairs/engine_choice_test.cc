#include "pairs/engine_choice.h"

#include <cmath>

#include <gtest/gtest.h>

#include "pairs/similarity_floor.h"
#include "unit/pairs/collections.h"

namespace kith::pairs {
namespace {

struct Job {
  test::OwnedBags bags = test::random_bags({.bags = 2000, .words = 40, .seed = 6});
  BruteForceResult sample;
  JobShape shape{.least_sum = least_sum_of_minima(0.2), .top = 20, .distinct_bags = 1900};

  Job() {
    ThreadPool pool(2);
    sample = choose_floor(bags.view(), {}, pool).sample;
  }
  EngineChoice choose(Engine wish = Engine::automatic) const {
    return choose_engine(bags.view(), sample, shape, {}, wish);
  }
};

TEST(EngineChoice, SmallCrawlsAreJoinedExactly) {
  const EngineChoice choice = Job().choose();
  EXPECT_EQ(choice.engine, Engine::exact);
  EXPECT_GT(choice.exact.postings, 0);
  EXPECT_GT(choice.exact.seconds, 0);
  EXPECT_GT(choice.lsh.collisions, 0);
  EXPECT_GT(choice.lsh.seconds, 0);
}

TEST(EngineChoice, TheExactCostIsQuadraticSoLargeCrawlsTakeTables) {
  Job job;
  const double small = job.choose().exact.postings;
  job.shape.distinct_bags *= 10;
  EXPECT_NEAR(job.choose().exact.postings, 100 * small, 1e-6 * 100 * small);
  job.shape.distinct_bags = 20'000'000;
  const EngineChoice choice = job.choose();
  EXPECT_EQ(choice.engine, Engine::lsh);
  EXPECT_LT(choice.lsh.seconds, choice.exact.seconds);
}

TEST(EngineChoice, AWishIsObeyedWithTheSameEstimates) {
  const Job job;
  EXPECT_EQ(job.choose(Engine::lsh).engine, Engine::lsh);
  EXPECT_EQ(job.choose(Engine::lsh).exact.seconds, job.choose().exact.seconds);
  EXPECT_EQ(job.choose(Engine::exact).engine, Engine::exact);
}

TEST(EngineChoice, AnIndexThatDoesNotFitIsNotChosen) {
  Job job;
  job.shape.memory = 1000;
  const EngineChoice choice = job.choose();
  EXPECT_FALSE(choice.exact_fits);
  EXPECT_EQ(choice.engine, Engine::lsh);
  EXPECT_EQ(job.choose(Engine::exact).engine, Engine::exact);
}

TEST(EngineChoice, TheCollisionsAreThoseThatTheTablesSee) {
  // s^k summed over all pairs, directly.
  const Job job;
  const lsh::TableParams tables{.per_key = 2, .tables = 10};
  double expected = 0;
  for (uint32_t a = 0; a < 2000; a += 10) {
    for (uint32_t b = 0; b < 2000; ++b) {
      if (a != b) expected += std::pow(similarity(job.bags[a], job.bags[b]), 2) * 10 / 2;
    }
  }
  expected *= 10 * (1900.0 / 2000) * (1900.0 / 2000);
  const EngineChoice choice =
      choose_engine(job.bags.view(), job.sample, job.shape, tables, Engine::automatic);
  EXPECT_GT(choice.lsh.collisions, 0.6 * expected);
  EXPECT_LT(choice.lsh.collisions, 1.6 * expected);
}

TEST(EngineChoice, EdgeCollectionsHaveAnEngineToo) {
  ThreadPool pool(1);
  for (const NamedBags& named : edge_collections()) {
    const FloorChoice floor = choose_floor(named.bags.view(), {}, pool);
    const EngineChoice choice =
        choose_engine(named.bags.view(), floor.sample, {.distinct_bags = named.bags.size()}, {},
                      Engine::automatic);
    EXPECT_EQ(choice.engine, Engine::exact) << named.name;
  }
}

}  // namespace
}  // namespace kith::pairs
