#include "cluster/center.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "cluster/leader/index.h"
#include "cluster/order.h"
#include "pairs/duplicates.h"
#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

using ::testing::ElementsAre;

TEST(CenterByScan, NoPairsGiveSingles) {
  const Clustering clustering = center_by_scan(3, {}, order_by_id(3));
  EXPECT_THAT(clustering.center, ElementsAre(0, 1, 2));
  EXPECT_THAT(clustering.sum_of_minima, ElementsAre(bag_total, bag_total, bag_total));
  EXPECT_EQ(center_by_scan(0, {}, {}).size(), 0u);
}

// The example of docs/algorithms/center.md.
TEST(CenterByScan, MembersOfACenterMakeNoCenters) {
  const std::vector<pairs::Pair> pairs{{0, 1, 50}, {1, 2, 90}, {2, 3, 40}};
  const Clustering first = center_by_scan(4, pairs, order_by_id(4));
  EXPECT_THAT(first.center, ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(first.sum_of_minima, ElementsAre(bag_total, 50, bag_total, 40));
  const Clustering best = center_by_scan(4, pairs, order_by_id(4), Assign::best);
  EXPECT_THAT(best.center, ElementsAre(0, 2, 2, 2));
  EXPECT_THAT(best.sum_of_minima, ElementsAre(bag_total, 90, bag_total, 40));
}

TEST(CenterByScan, LeavesOutWhatTheOrderLeavesOut) {
  const std::vector<pairs::Pair> pairs{{0, 1, 50}, {1, 2, 90}};
  const std::vector<uint32_t> order{2, 0};
  EXPECT_THAT(center_by_scan(3, pairs, order).center, ElementsAre(0, no_center, 2));
}

RC_GTEST_PROP(CenterByScan, IsTheDefinition, ()) {
  const auto n = *rc::gen::inRange<uint32_t>(1, 25);
  const auto density = *rc::gen::inRange<uint64_t>(0, 11);
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  Rng rng(seed);
  std::vector<pairs::Pair> pairs;
  for (uint32_t a = 0; a < n; ++a) {
    for (uint32_t b = a + 1; b < n; ++b) {
      const auto sum = static_cast<uint32_t>(1 + rng.below(5));  // ties are frequent
      if (rng.below(20) < density) pairs.push_back({a, b, sum});
    }
  }
  const auto order = random_order(n, seed);
  for (const Assign assign : {Assign::first, Assign::best}) {
    RC_ASSERT(center_by_scan(n, pairs, order, assign) ==
              test::center_by_definition(n, pairs, order, assign));
  }
}

// Collections in which every second bag has a twin, and how their groups are scanned.
class Groups : public ::testing::Test {
 protected:
  Groups()
      : collection_(kith::test::random_bags({.bags = 250,
                                             .words = 12,
                                             .vocabulary = 400,
                                             .topics = 8,
                                             .topic_words = 30,
                                             .duplicate_share = 0.5,
                                             .empty_share = 0.1})),
        groups_(pairs::find_duplicates(collection_.bags(), pool_)),
        distinct_(pairs::distinct_bags(collection_.bags(), groups_)) {
    exact_pairs_ = test::similar_pairs(collection_.bags(), min_sum_);
    lsh_pairs_ = test::colliding_pairs(collection_.sketched(), buckets_, min_sum_, 0.01);
  }

  // CENTER on the graph of all ids, against the leader index on the groups, expanded.
  void expect_lossless(std::span<const uint32_t> order) {
    const auto collapsed = collapse_order(order, groups_.representative);
    EXPECT_LT(collapsed.size(), order.size());
    for (const Assign assign : {Assign::first, Assign::best}) {
      const LeaderOptions options{min_sum_, assign, 100};
      const auto exact = test::exact_leaders(collection_.bags(), collapsed, options, pool_);
      EXPECT_EQ(expand_groups(exact.clustering, order, groups_.representative, pool_),
                center_by_scan(collection_.size(), exact_pairs_, order, assign));
      const test::SketchedBags sketched = collection_.sketched();
      auto rows = OrderedRows::make(sketched.bags, sketched.signatures, collapsed, {});
      const auto lsh =
          lsh_leaders(collection_.size(), rows.value(), buckets_, options, pool_).value();
      EXPECT_EQ(expand_groups(lsh.clustering, order, groups_.representative, pool_),
                center_by_scan(collection_.size(), lsh_pairs_, order, assign));
    }
  }

  const uint32_t min_sum_ = min_sum_of_minima(0.15);
  ThreadPool pool_{2};
  const test::Collection collection_;
  const lsh::Tables tables_{{.lanes = test::lanes, .per_key = 2, .tables = 20}};
  const LshBuckets buckets_ = test::buckets_of(collection_, tables_);
  const pairs::DuplicateGroups groups_;
  const std::vector<uint32_t> distinct_;
  std::vector<pairs::Pair> exact_pairs_;
  std::vector<pairs::Pair> lsh_pairs_;
};

TEST_F(Groups, AreLosslessByUrl) {
  expect_lossless(order_by_id(collection_.size()));
}

TEST_F(Groups, AreLosslessByDegree) {
  expect_lossless(order_by_key(test::degrees_of(collection_.size(), exact_pairs_), pool_));
}

// Members of a group may have different keys: its best rank represents it.
TEST_F(Groups, AreLosslessAtRandomAndByInlinks) {
  std::vector<uint64_t> inlinks;
  Rng rng(11);
  for (size_t id = 0; id < collection_.size(); ++id) inlinks.push_back(rng.below(6));
  expect_lossless(order_by_key(inlinks, pool_));
  for (const uint64_t seed : {1u, 2u, 3u}) expect_lossless(random_order(collection_.size(), seed));
}

TEST_F(Groups, AreLosslessByMassCountedOnTheGroups) {
  const Signatures signatures = collection_.sketched().signatures;
  const LshBuckets by_group =
      scan_buckets(tables_, signatures, distinct_, groups_.multiplicity, {}, pool_);
  std::vector<uint64_t> mass;
  for (uint32_t id = 0; id < collection_.size(); ++id) {
    mass.push_back(by_group.mass[groups_.representative[id]]);
  }
  EXPECT_THAT(mass, ::testing::ElementsAreArray(buckets_.mass.span()));
  expect_lossless(order_by_key(mass, pool_));
}

}  // namespace
}  // namespace kith::cluster
