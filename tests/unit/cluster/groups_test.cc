#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/clustering.h"
#include "cluster/leader/index.h"
#include "cluster/order.h"
#include "similar/duplicates.h"
#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

using ::testing::ElementsAre;

TEST(CollapseOrder, GroupsStandAtTheirBestRank) {
  const std::vector<uint32_t> representative{0, 1, 0, 1, 4};
  EXPECT_THAT(collapse_order(std::vector<uint32_t>{3, 2, 1, 4, 0}, representative),
              ElementsAre(1, 0, 4));
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
        groups_(similar::find_duplicates(collection_.bags(), pool_)),
        distinct_(similar::distinct_bags(collection_.bags(), groups_)) {
    exact_pairs_ = cluster::test::similar_pairs(collection_.bags(), min_sum_);
    lsh_pairs_ = cluster::test::colliding_pairs(collection_.sketched(), buckets_, min_sum_, 0.01);
  }

  // CENTER on the graph of all ids, against the leader index on the groups, expanded.
  void expect_lossless(std::span<const uint32_t> order) {
    const auto collapsed = collapse_order(order, groups_.representative);
    EXPECT_LT(collapsed.size(), order.size());
    for (const Assign assign : {Assign::first, Assign::best}) {
      const LeaderOptions options{min_sum_, assign, 100};
      const auto exact =
          cluster::test::exact_leaders(collection_.bags(), collapsed, options, pool_);
      EXPECT_EQ(
          expand_groups(exact.clustering, order, groups_.representative, pool_),
          cluster::test::center_by_definition(collection_.size(), exact_pairs_, order, assign));
      const cluster::test::SketchedBags sketched = collection_.sketched();
      auto rows = OrderedRows::make(sketched.bags, sketched.signatures, collapsed, {});
      const auto lsh =
          lsh_leaders(collection_.size(), rows.value(), buckets_, options, pool_).value();
      EXPECT_EQ(expand_groups(lsh.clustering, order, groups_.representative, pool_),
                cluster::test::center_by_definition(collection_.size(), lsh_pairs_, order, assign));
    }
  }

  const uint32_t min_sum_ = sketch::min_sum_of_minima(0.15);
  ThreadPool pool_{2};
  const cluster::test::Collection collection_;
  const sketch::Tables tables_{{.lanes = cluster::test::lanes, .per_key = 2, .tables = 20}};
  const LshBuckets buckets_ = cluster::test::buckets_of(collection_, tables_);
  const similar::DuplicateGroups groups_;
  const std::vector<uint32_t> distinct_;
  std::vector<similar::Pair> exact_pairs_;
  std::vector<similar::Pair> lsh_pairs_;
};

TEST_F(Groups, AreLosslessByUrl) {
  expect_lossless(order_by_id(collection_.size()));
}

TEST_F(Groups, AreLosslessByDegree) {
  expect_lossless(order_by_key(cluster::test::degrees_of(collection_.size(), exact_pairs_), pool_));
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
  const sketch::Signatures signatures = collection_.sketched().signatures;
  const LshBuckets by_group =
      scan_buckets(tables_, signatures, distinct_, groups_.multiplicity, {}, pool_);
  std::vector<uint64_t> mass;
  for (uint32_t id = 0; id < collection_.size(); ++id) {
    mass.push_back(by_group.mass[groups_.representative[id]]);
  }
  EXPECT_THAT(mass, ::testing::ElementsAreArray(buckets_.mass.span()));
  expect_lossless(order_by_key(mass, pool_));
}

TEST_F(Groups, LeftOutOfTheOrderAreWithTheirCopies) {
  // Every other group, whole.
  std::vector<uint32_t> order;
  for (const uint32_t id : order_by_id(collection_.size())) {
    if (groups_.representative[id] % 2 == 0) order.push_back(id);
  }
  const auto collapsed = collapse_order(order, groups_.representative);
  const auto found = cluster::test::exact_leaders(
      collection_.bags(), collapsed, {.min_sum = min_sum_, .assign = Assign::first}, pool_);
  const Clustering all = expand_groups(found.clustering, order, groups_.representative, pool_);
  auto pairs = exact_pairs_;
  std::erase_if(pairs, [&](const similar::Pair& pair) {
    const uint32_t a = groups_.representative[pair.a];
    const uint32_t b = groups_.representative[pair.b];
    return a != b && (a % 2 != 0 || b % 2 != 0);
  });
  EXPECT_EQ(all, cluster::test::center_by_definition(
                     collection_.size(), pairs, order_by_id(collection_.size()), Assign::first));
}

}  // namespace
}  // namespace kith::cluster
