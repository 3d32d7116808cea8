// cluster_bags() beside `kith cluster`, of the same bags.
#include "kith/cluster_bags.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kith/pipeline.h"
#include "kith/run.h"

#include "bags/tables.h"
#include "run/stage_files.h"
#include "support/random_bags.h"
#include "support/temp_dir.h"
#include "unit/api/arrays.h"
#include "unit/api/sample.h"

namespace kith::api {
namespace {

struct Case {
  EngineChoice engine;
  Order order;
  Assign assign;
  std::optional<double> similarity;
};

class ClusterBags : public testing::TestWithParam<Case> {};

// By bag, as the run has them.
BagClusters clusters_of(const Run& run) {
  BagClusters clusters;
  clusters.center.resize(run.urls());
  clusters.similarity.resize(run.urls());
  for (uint64_t number = 0; number < run.clusters(); ++number) {
    const auto cluster = run.cluster(number);
    for (const Related& member : cluster->members) {
      clusters.center[member.id] = cluster->members.front().id;
      clusters.similarity[member.id] = member.similarity;
    }
  }
  return clusters;
}

TEST_P(ClusterBags, AreTheClustersOfARun) {
  const test::TempDir dir;
  ClusterOptions options;
  options.inputs = {test::sample_crawl()};
  options.output = dir / "run";
  options.bags = BagKind::content;
  options.topics = TopicGraph::none;
  options.check_queries = 0;
  options.engine = GetParam().engine;
  // What `automatic` means; but in a run it puts pages last that are lists of links.
  options.order = GetParam().order;
  if (options.order == Order::automatic) {
    options.order = GetParam().engine == EngineChoice::lsh ? Order::mass : Order::degree;
  }
  options.assign = GetParam().assign;
  options.similarity = GetParam().similarity;
  ASSERT_TRUE(cluster_crawl(options).is_ok());
  const auto run = Run::open(options.output);
  const auto table = bags::BagTable::open(storage::posix_file_system(),
                                          dir / "run/" + std::string(run::bags_file));
  ASSERT_TRUE(table.is_ok());
  const test::BagArrays arrays(table->bags());
  const auto bags = Bags::make(arrays.view());
  ASSERT_TRUE(bags.is_ok());
  const BagClusters expected = clusters_of(*run);
  for (const unsigned threads : {1u, 3u}) {
    const auto found = cluster_bags(*bags,
                                    {.similarity = GetParam().similarity,
                                     .engine = GetParam().engine,
                                     .order = GetParam().order,
                                     .assign = GetParam().assign},
                                    threads);
    ASSERT_TRUE(found.is_ok()) << found.error().message;
    EXPECT_EQ(found->threshold.similarity, run->report().threshold.similarity);
    EXPECT_EQ(found->engine.tables, run->report().engine.tables);
    EXPECT_EQ(found->center, expected.center);
    EXPECT_EQ(found->similarity, expected.similarity);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , ClusterBags,
    testing::Values(Case{EngineChoice::automatic, Order::automatic, Assign::first, std::nullopt},
                    Case{EngineChoice::exact, Order::url, Assign::best, 0.2},
                    Case{EngineChoice::exact, Order::mass, Assign::first, 0.2},
                    Case{EngineChoice::lsh, Order::automatic, Assign::first, 0.25},
                    Case{EngineChoice::lsh, Order::degree, Assign::best, 0.25},
                    Case{EngineChoice::lsh, Order::random, Assign::first, 0.25}));

TEST(ClusterBagsOptions, RefuseWhatOnlyCrawlsHave) {
  EXPECT_FALSE(cluster_bags({}, {.engine = EngineChoice::paper}).is_ok());
  EXPECT_FALSE(cluster_bags({}, {.order = Order::inlinks}).is_ok());
  EXPECT_FALSE(cluster_bags({}, {.similarity = 0.0}).is_ok());
  EXPECT_FALSE(cluster_bags({}, {.lanes = 7}).is_ok());
}

TEST(ClusterBagsOptions, NoBagsMakeNoClusters) {
  for (const EngineChoice engine : {EngineChoice::automatic, EngineChoice::lsh}) {
    const auto found = cluster_bags({}, {.similarity = 0.3, .engine = engine});
    ASSERT_TRUE(found.is_ok()) << found.error().message;
    EXPECT_TRUE(found->center.empty());
  }
}

TEST(ClusterBagsProgress, CanStopTheJob) {
  const test::OwnedBags owned = test::random_bags({.bags = 3000});
  const test::BagArrays arrays(owned.view());
  const auto bags = Bags::make(arrays.view());
  for (const EngineChoice engine : {EngineChoice::exact, EngineChoice::lsh}) {
    for (const std::string_view at : {"plan", "cluster"}) {
      const auto caller = std::this_thread::get_id();
      const auto found =
          cluster_bags(*bags, {.similarity = 0.2, .engine = engine}, 3, [&](const Progress& now) {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            return now.stage != at;
          });
      ASSERT_FALSE(found.is_ok());
      EXPECT_EQ(found.error().kind, ErrorKind::cancelled);
    }
  }
}

}  // namespace
}  // namespace kith::api
