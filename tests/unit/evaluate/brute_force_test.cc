#include "evaluate/brute_force.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/untouchable.h"
#include "unit/evaluate/brute_force_plain.h"
#include "unit/similar/collections.h"

namespace kith::evaluate {
namespace {

void expect_equal(const BruteForceResult& fast, const BruteForceResult& plain,
                  const std::string& what) {
  ASSERT_EQ(fast.queries.size(), plain.queries.size()) << what;
  for (size_t i = 0; i < plain.queries.size(); ++i) {
    ASSERT_EQ(fast.queries[i].id, plain.queries[i].id) << what;
    ASSERT_EQ(fast.queries[i].degree, plain.queries[i].degree) << what;
    ASSERT_EQ(fast.queries[i].similar, plain.queries[i].similar) << what;
    ASSERT_EQ(fast.queries[i].nearest, plain.queries[i].nearest) << what;
    ASSERT_EQ(fast.queries[i].histogram, plain.queries[i].histogram) << what;
  }
}

// All ids as queries: more than fit into one pass.
TEST(BruteForce, AgreesWithItsPlainTwin) {
  for (const similar::NamedBags& named : similar::all_collections(400)) {
    const sketch::BagCollection bags = named.bags.view();
    const std::vector<uint32_t> queries = similar::all_ids(bags);
    ThreadPool pools[] = {ThreadPool(1), ThreadPool(2), ThreadPool(5)};
    const similar::DuplicateGroups groups = similar::find_duplicates(bags, pools[0]);
    const uint32_t least = sketch::min_sum_of_minima(0.2);
    std::vector<uint32_t> own;
    for (uint32_t id = 0; id < bags.size(); ++id) own.push_back(id * 5 % 4);
    const BruteForceOptions all_options[] = {
        {.min_sum = least, .top = 7, .histogram_groups = &groups},
        {.min_sum = least, .top = 3, .list_similar = false},
        {.min_sum = least, .top = 0},
        {.min_sum = 0, .top = 1000},
        {.min_sum = 0, .top = 0},
        {.min_sum = least, .top = 4, .classes = similar::Classes(own), .histogram_groups = &groups},
    };
    for (const BruteForceOptions& options : all_options) {
      const BruteForceResult plain = brute_force_plain(bags, queries, options);
      for (ThreadPool& pool : pools) {
        expect_equal(brute_force(bags, queries, options, pool), plain, named.name);
      }
    }
  }
}

// The number of queries decides which terms have a row and which a list.
RC_GTEST_PROP(BruteForce, AgreesWithItsPlainTwinOnAnySample, ()) {
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  const test::OwnedBags owned = test::random_bags({.bags = 300,
                                                   .words = *rc::gen::inRange(1u, 30u),
                                                   .vocabulary = *rc::gen::inRange(5u, 2000u),
                                                   .duplicate_share = 0.2,
                                                   .empty_share = 0.1,
                                                   .seed = seed});
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(*rc::gen::inRange(1u, 4u));
  const similar::DuplicateGroups groups = similar::find_duplicates(bags, pool);
  const auto queries = sample_queries(bags, *rc::gen::inRange<size_t>(0, 300), seed);
  const BruteForceOptions options{.min_sum = *rc::gen::inRange(0u, sketch::bag_total),
                                  .top = *rc::gen::inRange(0u, 40u),
                                  .histogram_groups = &groups};
  expect_equal(brute_force(bags, queries, options, pool), brute_force_plain(bags, queries, options),
               "");
}

TEST(BruteForce, TouchesNoPageOfTheBags) {
  const test::OwnedBags owned = test::random_bags({.bags = 9000, .words = 5, .seed = 5});
  const sketch::BagCollection bags = owned.view();
  const test::Untouchable<sketch::BagEntry> mapping({bags.entries().begin(), bags.entries().end()});
  const sketch::BagCollection mapped(bags.offsets(), mapping.span(), &mapping);
  ThreadPool pool(2);
  const std::vector<uint32_t> queries = sample_queries(bags, 10, 1);
  expect_equal(brute_force(mapped, queries, {}, pool), brute_force_plain(bags, queries, {}), "");
  EXPECT_EQ(similar::find_duplicates(mapped, pool).representative,
            similar::find_duplicates(bags, pool).representative);
}

TEST(BruteForce, NearestFollowsTheTieRule) {
  test::OwnedBags bags;
  for (int i = 0; i < 9; ++i) bags.add(std::vector<std::pair<uint32_t, double>>{{1, 1.0}});
  const std::vector<uint32_t> queries{4};
  ThreadPool pool(1);
  const QueryTruth truth =
      brute_force(bags.view(), queries, {.min_sum = sketch::bag_total, .top = 5}, pool).queries[0];
  const std::vector<similar::Neighbour> expected{{0, sketch::bag_total},
                                                 {1, sketch::bag_total},
                                                 {2, sketch::bag_total},
                                                 {3, sketch::bag_total},
                                                 {5, sketch::bag_total}};
  EXPECT_EQ(truth.nearest, expected);
  EXPECT_EQ(truth.similar.size(), 8u);
}

TEST(Sample, IsSeededSortedAndWithoutEmptyBags) {
  const test::OwnedBags bags = test::random_bags({.bags = 500, .empty_share = 0.5, .seed = 3});
  const std::vector<uint32_t> sample = sample_queries(bags.view(), 50, 7);
  EXPECT_EQ(sample.size(), 50u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
  for (const uint32_t id : sample) EXPECT_FALSE(bags[id].empty());
  EXPECT_EQ(sample, sample_queries(bags.view(), 50, 7));
  EXPECT_NE(sample, sample_queries(bags.view(), 50, 8));
  const size_t non_empty = static_cast<size_t>(
      std::count_if(sample.begin(), sample.end(), [&](uint32_t id) { return !bags[id].empty(); }));
  EXPECT_EQ(non_empty, 50u);
  EXPECT_LT(sample_queries(bags.view(), 10'000, 7).size(), 400u);
}

}  // namespace
}  // namespace kith::evaluate
