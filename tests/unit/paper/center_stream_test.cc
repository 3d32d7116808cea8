// The streaming scan against the definition of CENTER and against the leader index, on the same
// pairs.
#include "paper/center_stream.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "cluster/leader/index.h"
#include "cluster/order.h"
#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

Clustering by_stream(size_t n, const std::vector<pairs::Pair>& pairs,
                     std::span<const uint32_t> ids) {
  std::vector<pairs::Pair> directions = pairs;
  for (const pairs::Pair& pair : pairs) directions.push_back({pair.b, pair.a, pair.sum_of_minima});
  std::ranges::sort(directions);
  CenterStream stream(n);
  for (const pairs::Pair& pair : directions) stream.scan(pair.a, pair.b, pair.sum_of_minima);
  return stream.finish(ids);
}

RC_GTEST_PROP(CenterStream, IsCenterByItsDefinition, ()) {
  const auto n = *rc::gen::inRange<uint32_t>(1, 40);
  const auto density = *rc::gen::inRange<uint32_t>(1, 20);
  std::vector<pairs::Pair> pairs;
  for (uint32_t a = 0; a < n; ++a) {
    for (uint32_t b = a + 1; b < n; ++b) {
      if (*rc::gen::inRange<uint32_t>(0, density) == 0) pairs.push_back({a, b, a * 100 + b});
    }
  }
  const std::vector<uint32_t> ids = order_by_id(n);
  RC_ASSERT(by_stream(n, pairs, ids) == test::center_by_definition(n, pairs, ids, Assign::first));
}

// The example of docs/algorithms/center.md.
TEST(CenterStream, MembersOfACenterMakeNoCenters) {
  const Clustering clustering = by_stream(4, {{0, 1, 50}, {1, 2, 90}, {2, 3, 40}}, order_by_id(4));
  EXPECT_EQ(clustering.center, (std::vector<uint32_t>{0, 0, 2, 2}));
  EXPECT_EQ(clustering.sum_of_minima, (std::vector<uint32_t>{bag_total, 50, bag_total, 40}));
}

TEST(CenterStream, LeavesOutIdsThatNobodyNames) {
  const Clustering clustering = by_stream(4, {{0, 2, 7}}, std::vector<uint32_t>{0, 2, 3});
  EXPECT_EQ(clustering.center, (std::vector<uint32_t>{0, no_center, 0, 3}));
  EXPECT_EQ(clustering.sum_of_minima[2], 7u);
}

// "On the same verified pairs and order both give the same clusters" (docs/algorithms/paper.md).
TEST(CenterStream, IsTheLeaderIndexOnTheSamePairs) {
  const test::Collection collection(kith::test::random_bags(
      {.bags = 300, .words = 20, .vocabulary = 2000, .topics = 12, .topic_words = 40}));
  const uint32_t min_sum = min_sum_of_minima(0.2);
  const std::vector<uint32_t> ids = order_by_id(collection.size());
  ThreadPool pool(2);
  LeaderOptions options;
  options.min_sum = min_sum;

  const auto all = test::similar_pairs(collection.bags(), min_sum);
  EXPECT_GT(all.size(), 100u);
  EXPECT_EQ(by_stream(collection.size(), all, ids),
            test::exact_leaders(collection.bags(), ids, options, pool).clustering);

  const lsh::Tables tables({.lanes = test::lanes, .per_key = 3, .tables = 20});
  const LshBuckets buckets = test::buckets_of(collection, tables);
  const auto colliding =
      test::colliding_pairs(collection.sketched(), buckets, min_sum, options.plane_miss);
  EXPECT_LT(colliding.size(), all.size());
  auto rows = OrderedRows::make(collection.bags(), collection.sketched().signatures, ids, {});
  EXPECT_EQ(by_stream(collection.size(), colliding, ids),
            lsh_leaders(collection.size(), rows.value(), buckets, options, pool)->clustering);
}

}  // namespace
}  // namespace kith::cluster
