#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cluster/plan/similarity_plan.h"
#include "unit/evaluate/brute_force_plain.h"
#include "unit/similar/collections.h"

namespace kith::cluster {
namespace {

TEST(Threshold, IsTheMedianSimilarityToTheTenthNeighbour) {
  const test::OwnedBags owned = test::random_bags(
      {.bags = 900, .words = 20, .topics = 10, .topic_words = 25, .family_share = 0, .seed = 4});
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(2);
  const ThresholdOptions options{.queries = 101};
  const ThresholdChoice choice =
      choose_threshold(bags, similar::find_duplicates(bags, pool), options, pool);
  EXPECT_EQ(choice.queries, 101u);
  std::vector<double> tenth;
  for (const uint32_t id : evaluate::sample_queries(bags, 101, options.seed)) {
    tenth.push_back(sketch::similarity_of(
        evaluate::truth_of(bags, id, {.top = 10}).nearest.at(9).sum_of_minima));
  }
  std::sort(tenth.begin(), tenth.end());
  EXPECT_EQ(choice.median, tenth[50]);
  EXPECT_EQ(choice.ranks[1].p50, tenth[50]);
  EXPECT_EQ(choice.ranks[1].p10, tenth[10]);
  EXPECT_EQ(choice.ranks[1].p90, tenth[90]);
  EXPECT_LE(choice.similarity, choice.median);
  EXPECT_GT(choice.similarity, choice.median - 0.02);
  EXPECT_GT(choice.similarity, 0.05);
  EXPECT_LT(choice.similarity, 0.5);
  EXPECT_GE(choice.ranks[0].p50, choice.ranks[1].p50);
  EXPECT_GE(choice.ranks[1].p50, choice.ranks[2].p50);
}

// The median similarity of some bags to their tenth neighbour.
double median_over(const sketch::BagCollection& bags, const std::vector<uint32_t>& ids) {
  std::vector<double> tenth;
  for (const uint32_t id : ids) {
    tenth.push_back(sketch::similarity_of(
        evaluate::truth_of(bags, id, {.top = 10}).nearest.at(9).sum_of_minima));
  }
  std::sort(tenth.begin(), tenth.end());
  return tenth[(tenth.size() - 1) / 2];
}

TEST(Threshold, IsTheLowerOfTheMediansOverAllAndOverPages) {
  const test::OwnedBags owned = test::random_bags(
      {.bags = 900, .words = 20, .topics = 10, .topic_words = 25, .family_share = 0, .seed = 5});
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(2);
  ThresholdOptions options{.queries = 101};
  const std::vector<uint32_t> sample = evaluate::sample_queries(bags, 101, options.seed);
  // Pages are the half of the sample that is least alike, and then the half that is most alike.
  std::vector<uint32_t> by_similarity = sample;
  std::ranges::sort(by_similarity, {}, [&](uint32_t id) { return median_over(bags, {id}); });
  for (const bool least : {true, false}) {
    std::vector<uint8_t> is_page(bags.size(), 0);
    for (size_t i = 0; i < 60; ++i) is_page[by_similarity[least ? i : 100 - i]] = 1;
    options.is_page = is_page;
    const ThresholdChoice choice =
        choose_threshold(bags, similar::find_duplicates(bags, pool), options, pool);
    EXPECT_EQ(choice.queries, least ? 60u : 101u);
    const std::vector<uint32_t> pages(by_similarity.begin(), by_similarity.begin() + 60);
    EXPECT_EQ(choice.median, median_over(bags, least ? pages : sample));
  }
}

TEST(Threshold, DrawsPagesWhereTheSampleHasFew) {
  const test::OwnedBags owned = test::random_bags(
      {.bags = 300, .words = 20, .topics = 5, .topic_words = 25, .family_share = 0, .seed = 6});
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(1);
  std::vector<uint8_t> is_page(bags.size(), 0);
  std::vector<uint32_t> ids = evaluate::sample_queries(bags, bags.size(), 1);
  std::ranges::sort(ids, {}, [&](uint32_t id) { return median_over(bags, {id}); });
  ids.resize(20);  // the least alike of all
  for (const uint32_t id : ids) is_page[id] = 1;
  const ThresholdChoice choice = choose_threshold(bags, similar::find_duplicates(bags, pool),
                                                  {.queries = 101, .is_page = is_page}, pool);
  EXPECT_EQ(choice.queries, 20u);
  EXPECT_EQ(choice.median, median_over(bags, ids));
}

TEST(Threshold, DoesNotCountBagsOfFewWords) {
  const test::OwnedBags owned = test::random_bags(
      {.bags = 300, .words = 20, .topics = 5, .topic_words = 25, .family_share = 0, .seed = 7});
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(1);
  size_t long_ones = 0;
  for (size_t id = 0; id < bags.size(); ++id) long_ones += bags[id].size() >= 18;
  ASSERT_GT(long_ones, 0u);
  ASSERT_LT(long_ones, bags.size());
  ThresholdOptions options{.queries = 300, .min_words = 18};
  const similar::DuplicateGroups groups = similar::find_duplicates(bags, pool);
  EXPECT_EQ(choose_threshold(bags, groups, options, pool).queries, long_ones);
  options.min_words = 1000;  // no bag has so many: then all count
  EXPECT_EQ(choose_threshold(bags, groups, options, pool).queries,
            evaluate::sample_queries(bags, 300, options.seed).size());
}

TEST(Threshold, StaysWithinItsBounds) {
  ThreadPool pool(1);
  for (const similar::NamedBags& named : similar::edge_collections()) {
    const sketch::BagCollection bags = named.bags.view();
    const ThresholdChoice choice =
        choose_threshold(bags, similar::find_duplicates(bags, pool), {}, pool);
    EXPECT_GE(choice.similarity, 0.05) << named.name;
    EXPECT_LE(choice.similarity, 0.5) << named.name;
    if (named.name == "none" || named.name == "all empty") {
      EXPECT_EQ(choice.queries, 0u);
      EXPECT_EQ(choice.similarity, 0.5);
    }
    if (named.name == "all equal") {
      EXPECT_EQ(choice.median, 1.0);
      EXPECT_EQ(choice.similarity, 0.5);
    }
    if (named.name == "all different") {
      EXPECT_EQ(choice.median, 0.0);
      EXPECT_EQ(choice.similarity, 0.05);
    }
  }
}

}  // namespace
}  // namespace kith::cluster
