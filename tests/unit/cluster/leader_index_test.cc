// The leader index against the definition of CENTER over brute-force pairs, assignment for
// assignment.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "cluster/leader/index.h"
#include "cluster/order.h"
#include "evaluate/agreement.h"
#include "support/faulty_file_system.h"
#include "support/memory_file_system.h"
#include "support/temp_dir.h"
#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

using cluster::test::Collection;
using cluster::test::Words;
using ::testing::ElementsAre;

constexpr double plane_miss = 0.3;  // so coarse that the filter drops many pairs

sketch::Tables tables_of(uint32_t per_key, uint32_t tables) {
  return sketch::Tables({.lanes = cluster::test::lanes, .per_key = per_key, .tables = tables});
}

struct NamedOrder {
  std::string name;
  std::vector<uint32_t> ids;
};

std::vector<NamedOrder> all_orders(const Collection& collection, const LshBuckets& buckets,
                                   std::span<const similar::Pair> pairs) {
  const size_t n = collection.size();
  ThreadPool pool(1);
  std::vector<uint64_t> inlinks;
  Rng rng(5);
  for (uint32_t id = 0; id < n; ++id) inlinks.push_back(rng.below(10));
  return {{"degree", order_by_key(cluster::test::degrees_of(n, pairs), pool)},
          {"mass", order_by_key(buckets.mass.span(), pool)},
          {"inlinks", order_by_key(inlinks, pool)},
          {"url", order_by_id(n)},
          {"random", random_order(n, 7)}};
}

// lsh_leaders() over rows that lie in memory, or, with `part_bytes`, in files.
LeaderResult leaders_of(const Collection& collection, const LshBuckets& buckets,
                        std::span<const uint32_t> order, const LeaderOptions& options,
                        ThreadPool& pool, uint64_t part_bytes = 0) {
  kith::test::MemoryFileSystem fs;
  const RowSpill spill = part_bytes == 0 ? RowSpill{} : RowSpill{&fs, &pool, "rows", part_bytes};
  auto rows = OrderedRows::make(collection.bags(), collection.sketched().signatures, order, spill);
  auto result = lsh_leaders(collection.size(), rows.value(), buckets, options, pool);
  return std::move(result).value();
}

// Both engines on a collection, for every order, assignment, number of threads and stretch.
void expect_center(const Collection& collection, double similarity, const sketch::Tables& tables,
                   size_t largest = similar::largest_bucket, const similar::Classes& classes = {}) {
  const size_t n = collection.size();
  const LshBuckets buckets = cluster::test::buckets_of(collection, tables, largest, classes);
  const uint32_t min_sum = sketch::min_sum_of_minima(similarity);
  auto exact_pairs = cluster::test::similar_pairs(collection.bags(), min_sum);
  auto lsh_pairs =
      cluster::test::colliding_pairs(collection.sketched(), buckets, min_sum, plane_miss);
  const auto are_of_two = [&](const similar::Pair& pair) { return !classes.share(pair.a, pair.b); };
  std::erase_if(exact_pairs, are_of_two);
  std::erase_if(lsh_pairs, are_of_two);
  for (const NamedOrder& order : all_orders(collection, buckets, exact_pairs)) {
    for (const Assign assign : {Assign::first, Assign::best}) {
      const Clustering exact =
          cluster::test::center_by_definition(n, exact_pairs, order.ids, assign);
      const Clustering lsh = cluster::test::center_by_definition(n, lsh_pairs, order.ids, assign);
      for (const unsigned threads : {1u, 2u, 5u}) {
        ThreadPool pool(threads);
        for (const size_t stretch : {1u, 7u, 1000u}) {
          SCOPED_TRACE(order.name + ", threads " + std::to_string(threads) + ", stretch " +
                       std::to_string(stretch));
          LeaderOptions options{min_sum, assign, stretch, plane_miss};
          options.classes = classes;
          ASSERT_EQ(
              cluster::test::exact_leaders(collection.bags(), order.ids, options, pool).clustering,
              exact);
          ASSERT_EQ(leaders_of(collection, buckets, order.ids, options, pool).clustering, lsh);
        }
      }
    }
  }
}

void expect_center(const std::vector<Words>& bags, double similarity) {
  expect_center(Collection(cluster::test::bags_of(bags)), similarity, tables_of(2, 10));
}

TEST(LeaderIndex, IsCenterOnClusteredBags) {
  const Collection collection(kith::test::random_bags(
      {.bags = 300, .words = 20, .vocabulary = 2000, .topics = 12, .topic_words = 40}));
  expect_center(collection, 0.1, tables_of(2, 20));
}

TEST(LeaderIndex, IsCenterOnUnstructuredBags) {
  const Collection collection(
      kith::test::random_bags({.bags = 200, .words = 12, .vocabulary = 60, .topics = 0}));
  expect_center(collection, 0.25, tables_of(3, 30));
}

TEST(LeaderIndex, IsCenterOnManyDuplicates) {
  const Collection collection(kith::test::random_bags({.bags = 200,
                                                       .words = 15,
                                                       .vocabulary = 500,
                                                       .topics = 5,
                                                       .family_share = 0.4,
                                                       .duplicate_share = 0.4,
                                                       .empty_share = 0.1}));
  expect_center(collection, 0.5, tables_of(4, 10));
}

// Buckets over a bound, which are split: only those in one part meet.
TEST(LeaderIndex, IsCenterOnSplitBuckets) {
  const Collection collection(kith::test::random_bags(
      {.bags = 300, .words = 8, .vocabulary = 100, .topics = 4, .topic_words = 15}));
  expect_center(collection, 0.2, tables_of(1, 6), 2);
  expect_center(collection, 0.2, tables_of(2, 12), 10);
}

// Within classes, of which one is of a single id and one of those without a class; as they cut
// topics, and, where buckets are split, at random.
TEST(LeaderIndex, IsCenterWithinClasses) {
  std::vector<uint32_t> topic_of;
  const Collection collection(kith::test::random_bags({.bags = 300,
                                                       .words = 15,
                                                       .vocabulary = 400,
                                                       .topics = 6,
                                                       .topic_words = 30,
                                                       .family_share = 0.3,
                                                       .duplicate_share = 0.2,
                                                       .empty_share = 0.05},
                                                      &topic_of));
  std::vector<uint32_t> by_topic(topic_of.begin(), topic_of.end());
  std::vector<uint32_t> at_random(collection.size());
  Rng rng(11);
  for (uint32_t& own : at_random) own = static_cast<uint32_t>(rng.below(4));
  by_topic[17] = at_random[17] = 99;
  const size_t never = similar::largest_bucket;
  expect_center(collection, 0.1, tables_of(2, 20), never, similar::Classes(by_topic));
  expect_center(collection, 0.1, tables_of(1, 8), 4, similar::Classes(at_random));
}

// More leaders than one growth of the tables, keys shared by very many of them (k = 1), several
// stretches of full size, and such as are compared with themselves in blocks.
TEST(LeaderIndex, IsCenterWithFullBuckets) {
  const Collection collection(kith::test::random_bags(
      {.bags = 1500, .words = 8, .vocabulary = 300, .topics = 0, .duplicate_share = 0}));
  const sketch::Tables tables = tables_of(1, 4);
  const LshBuckets buckets = cluster::test::buckets_of(collection, tables);
  const uint32_t min_sum = sketch::min_sum_of_minima(0.6);
  const auto pairs =
      cluster::test::colliding_pairs(collection.sketched(), buckets, min_sum, plane_miss);
  const auto order = random_order(collection.size(), 3);
  for (const Assign assign : {Assign::first, Assign::best}) {
    const Clustering expected =
        cluster::test::center_by_definition(collection.size(), pairs, order, assign);
    for (const auto& [stretch, max_pairs] :
         {std::pair{100u, 1u << 24}, {4096, 1u << 24}, {4096, 1}}) {
      ThreadPool pool(3);
      LeaderOptions options{min_sum, assign, stretch, plane_miss};
      options.max_pairs = max_pairs;
      const LeaderResult result = leaders_of(collection, buckets, order, options, pool);
      EXPECT_EQ(result.clustering, expected) << stretch << ", " << max_pairs;
      EXPECT_GT(result.stats.leaders, 500u);
      EXPECT_GT(result.stats.candidates, result.stats.merges);
    }
  }
}

// Leaders beyond memory come in phases, and rows from files, without another result.
TEST(LeaderIndex, IsCenterInAnyNumberOfPhases) {
  const Collection collection(kith::test::random_bags({.bags = 400,
                                                       .words = 15,
                                                       .vocabulary = 2000,
                                                       .topics = 12,
                                                       .topic_words = 40,
                                                       .duplicate_share = 0.2,
                                                       .empty_share = 0.05}));
  const sketch::Tables tables = tables_of(2, 15);
  const LshBuckets buckets = cluster::test::buckets_of(collection, tables);
  const uint32_t min_sum = sketch::min_sum_of_minima(0.12);
  const auto pairs =
      cluster::test::colliding_pairs(collection.sketched(), buckets, min_sum, plane_miss);
  const auto order = random_order(collection.size(), 11);
  ThreadPool pool(2);
  for (const Assign assign : {Assign::first, Assign::best}) {
    const Clustering expected =
        cluster::test::center_by_definition(collection.size(), pairs, order, assign);
    std::set<uint64_t> merges;
    for (const size_t most : {1u, 7u, 60u, 1000u}) {
      for (const uint64_t part_bytes : {0u, 500u, 20'000u, 1u << 30}) {
        LeaderOptions options{min_sum, assign, 50, plane_miss};
        options.max_leaders = most;
        const LeaderResult result =
            leaders_of(collection, buckets, order, options, pool, part_bytes);
        ASSERT_EQ(result.clustering, expected) << most << " leaders, parts of " << part_bytes;
        EXPECT_EQ(result.stats.phases > 1, most < 1000);
        merges.insert(result.stats.merges);
      }
    }
    EXPECT_TRUE(assign == Assign::best || merges.size() == 1);
  }
}

// The same for the exact engine, whose leaders are bounded in bytes.
TEST(LeaderIndex, IsCenterInAnyNumberOfPhasesOfTheExactEngine) {
  const auto owned = kith::test::random_bags({.bags = 400,
                                              .words = 15,
                                              .vocabulary = 2000,
                                              .topics = 12,
                                              .topic_words = 40,
                                              .duplicate_share = 0.2,
                                              .empty_share = 0.05});
  const uint32_t min_sum = sketch::min_sum_of_minima(0.12);
  const auto pairs = cluster::test::similar_pairs(owned.view(), min_sum);
  const auto order = random_order(owned.size(), 11);
  ThreadPool pool(2);
  for (const Assign assign : {Assign::first, Assign::best}) {
    const Clustering expected =
        cluster::test::center_by_definition(owned.size(), pairs, order, assign);
    for (const uint64_t max_bytes : {uint64_t{0}, uint64_t{1} << 20, UINT64_MAX}) {
      for (const uint64_t part_bytes : {0u, 500u, 20'000u, 1u << 30}) {
        LeaderOptions options{min_sum, assign, 50};
        options.max_bytes = max_bytes;
        const LeaderResult result =
            cluster::test::exact_leaders(owned.view(), order, options, pool, part_bytes);
        ASSERT_EQ(result.clustering, expected) << max_bytes << ", parts of " << part_bytes;
        EXPECT_EQ(result.stats.phases > 1, max_bytes < UINT64_MAX);
      }
    }
  }
}

TEST(LeaderIndex, AFullDiskIsAnError) {
  const Collection collection(kith::test::random_bags({.bags = 100, .words = 10}));
  const auto order = order_by_id(collection.size());
  const kith::test::TempDir dir;
  kith::test::FullDisk fs(5000);
  ThreadPool pool(2);
  const auto rows = OrderedRows::make(collection.bags(), collection.sketched().signatures, order,
                                      {&fs, &pool, dir.path(), 10'000});
  ASSERT_FALSE(rows.is_ok());
  EXPECT_EQ(rows.error().kind, ErrorKind::io);
}

TEST(LeaderIndex, ManyTablesAndLongKeys) {
  const Collection collection(kith::test::random_bags(
      {.bags = 150, .words = 10, .vocabulary = 300, .topics = 10, .family_share = 0.5}));
  expect_center(collection, 0.7, tables_of(8, 150));
}

TEST(LeaderIndex, NoBags) {
  expect_center(std::vector<Words>{}, 0.2);
}
TEST(LeaderIndex, OneBag) {
  expect_center({{{3, 1.0}}}, 0.2);
}
TEST(LeaderIndex, OneEmptyBag) {
  expect_center(std::vector<Words>(1), 0.2);
}
TEST(LeaderIndex, AllEmpty) {
  expect_center(std::vector<Words>(20), 0.2);
}
TEST(LeaderIndex, AllEqual) {
  expect_center(std::vector<Words>(50, Words{{1, 1.0}, {2, 2.0}}), 1.0);
}
TEST(LeaderIndex, LargestTermId) {
  constexpr uint32_t last = UINT32_MAX;
  const std::vector<Words> words{{{last, 1.0}}, {{0, 1.0}, {last, 3.0}}, {{0, 1.0}}, {{last, 1.0}}};
  const Collection collection(cluster::test::bags_of(words));
  const sketch::Tables tables = tables_of(1, 20);
  const LshBuckets buckets = cluster::test::buckets_of(collection, tables);
  const LeaderOptions options{.min_sum = sketch::min_sum_of_minima(0.5)};
  const auto order = order_by_id(4);
  ThreadPool pool(2);
  const auto is_expected = ElementsAre(0, 0, 2, 0);
  EXPECT_THAT(
      cluster::test::exact_leaders(collection.bags(), order, options, pool).clustering.center,
      is_expected);
  EXPECT_THAT(leaders_of(collection, buckets, order, options, pool).clustering.center, is_expected);
}

TEST(LeaderIndex, AllDifferent) {
  std::vector<Words> bags;
  for (uint32_t id = 0; id < 40; ++id) bags.push_back({{2 * id, 1.0}, {2 * id + 1, 1.0}});
  expect_center(bags, 0.05);
  const Collection collection(cluster::test::bags_of(bags));
  ThreadPool pool(2);
  const LeaderResult result =
      cluster::test::exact_leaders(collection.bags(), order_by_id(40), {.min_sum = 1}, pool);
  EXPECT_EQ(result.stats.leaders, 40u);
}

// 0-1-2-3-4: neighbours share one word of two, similarity 1/3.
std::vector<Words> chain(uint32_t n) {
  std::vector<Words> bags;
  for (uint32_t id = 0; id < n; ++id) bags.push_back({{id, 1.0}, {id + 1, 1.0}});
  return bags;
}

std::vector<uint32_t> exact_centers(const std::vector<Words>& bags, double similarity,
                                    std::span<const uint32_t> order) {
  const auto owned = cluster::test::bags_of(bags);
  ThreadPool pool(1);
  const LeaderOptions options{.min_sum = sketch::min_sum_of_minima(similarity)};
  return cluster::test::exact_leaders(owned.view(), order, options, pool).clustering.center;
}

TEST(LeaderIndex, Chain) {
  expect_center(chain(30), 0.3);
  EXPECT_THAT(exact_centers(chain(5), 0.3, order_by_id(5)), ElementsAre(0, 0, 2, 2, 4));
  const std::vector<uint32_t> order{1, 4, 0, 2, 3};
  EXPECT_THAT(exact_centers(chain(5), 0.3, order), ElementsAre(1, 1, 1, 4, 4));
}

TEST(LeaderIndex, Star) {
  std::vector<Words> bags{{{1, 1.0}, {2, 1.0}, {3, 1.0}, {4, 1.0}, {5, 1.0}}};
  for (uint32_t leaf = 1; leaf <= 5; ++leaf) bags.push_back({{leaf, 1.0}, {10 + leaf, 4.0}});
  expect_center(bags, 0.1);
  EXPECT_THAT(exact_centers(bags, 0.1, order_by_id(6)), ElementsAre(0, 0, 0, 0, 0, 0));
  const std::vector<uint32_t> leaf_first{3, 0, 1, 2, 4, 5};
  EXPECT_THAT(exact_centers(bags, 0.1, leaf_first), ElementsAre(3, 1, 2, 3, 4, 5));
}

// Of the centers 0, 1, 2, the last is the most similar one to 3; 4 ties between 0 and 1.
TEST(LeaderIndex, BestAssignment) {
  const std::vector<Words> bags{{{1, 1.0}, {9, 0.001}},
                                {{2, 1.0}},
                                {{3, 1.0}},
                                {{1, 1.0}, {2, 1.0}, {3, 2.0}},
                                {{1, 1.0}, {2, 1.0}}};
  const auto owned = cluster::test::bags_of(bags);
  ThreadPool pool(1);
  LeaderOptions options{.min_sum = sketch::min_sum_of_minima(0.1), .assign = Assign::best};
  const auto order = order_by_id(bags.size());
  EXPECT_THAT(cluster::test::exact_leaders(owned.view(), order, options, pool).clustering.center,
              ElementsAre(0, 1, 2, 2, 0));
  options.assign = Assign::first;
  EXPECT_THAT(cluster::test::exact_leaders(owned.view(), order, options, pool).clustering.center,
              ElementsAre(0, 1, 2, 0, 0));
}

TEST(LeaderIndex, IdsOutsideTheOrderHaveNoCenter) {
  const auto owned = cluster::test::bags_of(chain(6));
  ThreadPool pool(2);
  const std::vector<uint32_t> order{5, 2, 1};
  const auto result = cluster::test::exact_leaders(
      owned.view(), order, {.min_sum = sketch::min_sum_of_minima(0.3)}, pool);
  EXPECT_THAT(result.clustering.center, ElementsAre(no_center, 2, 2, no_center, no_center, 5));
}

TEST(LeaderIndex, ReportsProgressUpToOne) {
  const auto owned = cluster::test::bags_of(chain(500));
  ThreadPool pool(2);
  for (const Assign assign : {Assign::first, Assign::best}) {
    std::vector<double> shares;
    const LeaderOptions options{sketch::min_sum_of_minima(0.3), assign, 50};
    cluster::test::exact_leaders(owned.view(), order_by_id(500), options, pool, 0,
                                 [&](double share) { shares.push_back(share); });
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_EQ(shares.back(), 1.0);
  }
}

// What docs/algorithms/center.md says of the order: hubs in front keep topics together.
TEST(LeaderIndex, OrderByDegreeAgreesBetterWithTopicsThanRandomOrder) {
  std::vector<uint32_t> topics;
  const auto owned = kith::test::random_bags({.bags = 1000,
                                              .vocabulary = 50000,
                                              .topics = 10,
                                              .topic_words = 60,
                                              .topic_share = 0.75,
                                              .empty_share = 0},
                                             &topics);
  const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
  const auto pairs = cluster::test::similar_pairs(owned.view(), min_sum);
  ThreadPool pool(2);
  const auto agreement = [&](const std::vector<uint32_t>& order) {
    const auto result =
        cluster::test::exact_leaders(owned.view(), order, {.min_sum = min_sum}, pool);
    return evaluate::measure_agreement(result.clustering.center, topics).ari;
  };
  const double random = agreement(random_order(owned.size(), 1));
  EXPECT_GT(agreement(order_by_key(cluster::test::degrees_of(owned.size(), pairs), pool)),
            random + 0.1);
}

// Centers are pairwise dissimilar, and every other id has a center that it is similar to.
RC_GTEST_PROP(LeaderIndex, CentersAreAMaximalIndependentSet, ()) {
  const auto n = *rc::gen::inRange<size_t>(0, 60);
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  const auto similarity = static_cast<double>(*rc::gen::inRange(1, 100)) / 100.0;
  const auto stretch = *rc::gen::inRange<size_t>(1, 40);
  const auto owned = kith::test::random_bags({.bags = n,
                                              .words = 6,
                                              .vocabulary = 40,
                                              .topics = 3,
                                              .topic_words = 10,
                                              .empty_share = 0.1,
                                              .seed = seed});
  const sketch::BagCollection bags = owned.view();
  const uint32_t min_sum = sketch::min_sum_of_minima(similarity);
  ThreadPool pool(2);
  const Clustering clustering =
      cluster::test::exact_leaders(bags, random_order(n, seed),
                                   {.min_sum = min_sum, .stretch = stretch}, pool)
          .clustering;
  for (uint32_t a = 0; a < n; ++a) {
    if (!clustering.is_center(a)) {
      RC_ASSERT(clustering.is_center(clustering.center[a]));
      RC_ASSERT(clustering.sum_of_minima[a] >= min_sum);
      RC_ASSERT(clustering.sum_of_minima[a] ==
                sketch::sum_of_minima(bags[a], bags[clustering.center[a]]));
      continue;
    }
    for (uint32_t b = 0; b < a; ++b) {
      if (clustering.is_center(b)) RC_ASSERT(sketch::sum_of_minima(bags[a], bags[b]) < min_sum);
    }
  }
}

}  // namespace
}  // namespace kith::cluster
