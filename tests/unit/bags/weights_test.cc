#include "bags/weights.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace kith::bags {
namespace {

uint64_t sum_of(const std::vector<sketch::BagEntry>& bag) {
  return std::accumulate(
      bag.begin(), bag.end(), uint64_t{0},
      [](uint64_t sum, const sketch::BagEntry& entry) { return sum + entry.weight; });
}

TEST(TermFactor, FollowsTheFormulas) {
  EXPECT_DOUBLE_EQ(term_factor(Weighting::tf_idf, 10, 999), std::log(100.0));
  EXPECT_DOUBLE_EQ(term_factor(Weighting::tf, 10, 999), 1.0);
  EXPECT_NEAR(term_factor(Weighting::nmdf, 100, 9999), 1.0, 1e-9);  // df in the middle of ln n
  EXPECT_LT(term_factor(Weighting::nmdf, 1, 9999), term_factor(Weighting::nmdf, 50, 9999));
  EXPECT_LT(term_factor(Weighting::nmdf, 9999, 9999), term_factor(Weighting::nmdf, 300, 9999));
}

TEST(TermFactor, IsPositiveForAWordInEveryBag) {
  for (const Weighting weighting : {Weighting::tf_idf, Weighting::nmdf, Weighting::tf}) {
    EXPECT_GT(term_factor(weighting, 1, 1), 0);
    EXPECT_GT(term_factor(weighting, 1'000'000'000, 1'000'000'000), 0);
  }
}

TEST(CountFactor, IsTheRootExceptForRawCounts) {
  EXPECT_DOUBLE_EQ(count_factor(Weighting::tf_idf, 9), 3.0);
  EXPECT_DOUBLE_EQ(count_factor(Weighting::nmdf, 16), 4.0);
  EXPECT_DOUBLE_EQ(count_factor(Weighting::tf, 9), 9.0);
}

TEST(Normalise, EmptyStaysEmptyAndOneTakesAll) {
  std::vector<sketch::BagEntry> bag{{1, 1}};
  EXPECT_EQ(normalise({}, 0, bag), 0u);
  EXPECT_TRUE(bag.empty());
  const std::vector<RealWeight> one{{std::numeric_limits<uint32_t>::max(), 1e-300}};
  EXPECT_EQ(normalise(one, 0, bag), 0u);
  ASSERT_EQ(bag.size(), 1u);
  EXPECT_EQ(bag[0].weight, sketch::bag_total);
}

TEST(Normalise, KeepsTheLargestOfTooMany) {
  std::vector<RealWeight> weights;
  for (uint32_t term = 0; term < 70'000; ++term) weights.push_back({term, 1.0 + term});
  std::vector<sketch::BagEntry> bag;
  EXPECT_EQ(normalise(weights, 0, bag), 70'000u - 65'536u);
  EXPECT_EQ(bag.front().term, 70'000u - 65'536u);
  EXPECT_EQ(sum_of(bag), sketch::bag_total);
  EXPECT_EQ(normalise(weights, 160, bag), 70'000u - 160u);
  EXPECT_EQ(bag.front().term, 70'000u - 160u);
  EXPECT_EQ(sum_of(bag), sketch::bag_total);
}

TEST(Normalise, OfEqualWeightsKeepsTheFirst) {
  const std::vector<RealWeight> weights{{3, 1.0}, {5, 2.0}, {7, 1.0}, {9, 1.0}};
  std::vector<sketch::BagEntry> bag;
  EXPECT_EQ(normalise(weights, 2, bag), 2u);
  ASSERT_EQ(bag.size(), 2u);
  EXPECT_EQ(bag[0].term, 3u);
  EXPECT_EQ(bag[1].term, 5u);
  EXPECT_EQ(normalise(weights, 4, bag), 0u);
}

RC_GTEST_PROP(Normalise, AddsUpAndKeepsProportions, ()) {
  const auto raw = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(1, 1'000'000)));
  std::vector<RealWeight> weights;
  double total = 0;
  for (uint32_t i = 0; i < raw.size(); ++i) {
    weights.push_back({i * 3, raw[i] / 7.0});
    total += raw[i] / 7.0;
  }
  std::vector<sketch::BagEntry> bag;
  RC_ASSERT(normalise(weights, 0, bag) == 0u);
  RC_ASSERT(sum_of(bag) == sketch::bag_total);
  RC_ASSERT(bag.size() == weights.size());
  for (size_t i = 0; i < bag.size(); ++i) {
    RC_ASSERT(bag[i].term == weights[i].term);
    RC_ASSERT(bag[i].weight > 0u);
    const double exact = weights[i].weight / total * sketch::bag_total;
    RC_ASSERT(std::abs(bag[i].weight - exact) <= 2.0 + static_cast<double>(bag.size()));
  }
}

}  // namespace
}  // namespace kith::bags
