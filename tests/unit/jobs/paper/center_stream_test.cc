// The streaming scan against the definition of CENTER and against the leader index, on the same
// pairs.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "cluster/leader/index.h"
#include "cluster/order.h"
#include "jobs/paper/join.h"
#include "unit/cluster/collection.h"

namespace kith::jobs {
namespace {

cluster::Clustering by_stream(size_t n, const std::vector<similar::Pair>& pairs,
                              std::span<const uint32_t> ids) {
  std::vector<similar::Pair> directions = pairs;
  for (const similar::Pair& pair : pairs)
    directions.push_back({pair.b, pair.a, pair.sum_of_minima});
  std::ranges::sort(directions);
  CenterStream stream(n);
  for (const similar::Pair& pair : directions) stream.scan(pair.a, pair.b, pair.sum_of_minima);
  return stream.finish(ids);
}

RC_GTEST_PROP(CenterStream, IsCenterByItsDefinition, ()) {
  const auto n = *rc::gen::inRange<uint32_t>(1, 40);
  const auto density = *rc::gen::inRange<uint32_t>(1, 20);
  std::vector<similar::Pair> pairs;
  for (uint32_t a = 0; a < n; ++a) {
    for (uint32_t b = a + 1; b < n; ++b) {
      if (*rc::gen::inRange<uint32_t>(0, density) == 0) pairs.push_back({a, b, a * 100 + b});
    }
  }
  const std::vector<uint32_t> ids = cluster::order_by_id(n);
  RC_ASSERT(by_stream(n, pairs, ids) ==
            cluster::test::center_by_definition(n, pairs, ids, Assign::first));
}

// The example of docs/algorithms/center.md.
TEST(CenterStream, MembersOfACenterMakeNoCenters) {
  const cluster::Clustering clustering =
      by_stream(4, {{0, 1, 50}, {1, 2, 90}, {2, 3, 40}}, cluster::order_by_id(4));
  EXPECT_EQ(clustering.center, (std::vector<uint32_t>{0, 0, 2, 2}));
  EXPECT_EQ(clustering.sum_of_minima,
            (std::vector<uint32_t>{sketch::bag_total, 50, sketch::bag_total, 40}));
}

TEST(CenterStream, LeavesOutIdsThatNobodyNames) {
  const cluster::Clustering clustering = by_stream(4, {{0, 2, 7}}, std::vector<uint32_t>{0, 2, 3});
  EXPECT_EQ(clustering.center, (std::vector<uint32_t>{0, cluster::no_center, 0, 3}));
  EXPECT_EQ(clustering.sum_of_minima[2], 7u);
}

// "On the same verified pairs and order both give the same clusters" (docs/algorithms/paper.md).
TEST(CenterStream, IsTheLeaderIndexOnTheSamePairs) {
  const cluster::test::Collection collection(kith::test::random_bags(
      {.bags = 300, .words = 20, .vocabulary = 2000, .topics = 12, .topic_words = 40}));
  const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
  const std::vector<uint32_t> ids = cluster::order_by_id(collection.size());
  ThreadPool pool(2);
  cluster::LeaderOptions options;
  options.min_sum = min_sum;

  const auto all = cluster::test::similar_pairs(collection.bags(), min_sum);
  EXPECT_GT(all.size(), 100u);
  EXPECT_EQ(by_stream(collection.size(), all, ids),
            cluster::test::exact_leaders(collection.bags(), ids, options, pool).clustering);

  const sketch::Tables tables({.lanes = cluster::test::lanes, .per_key = 3, .tables = 20});
  const cluster::LshBuckets buckets = cluster::test::buckets_of(collection, tables);
  const auto colliding =
      cluster::test::colliding_pairs(collection.sketched(), buckets, min_sum, options.plane_miss);
  EXPECT_LT(colliding.size(), all.size());
  auto rows =
      cluster::OrderedRows::make(collection.bags(), collection.sketched().signatures, ids, {});
  EXPECT_EQ(
      by_stream(collection.size(), colliding, ids),
      cluster::lsh_leaders(collection.size(), rows.value(), buckets, options, pool)->clustering);
}

}  // namespace
}  // namespace kith::jobs
