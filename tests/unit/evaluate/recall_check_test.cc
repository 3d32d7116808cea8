#include "evaluate/recall_check.h"

#include <gtest/gtest.h>

namespace kith::evaluate {
namespace {

// One query, 7, whose three nearest are 1, 2 and 3; 4 ties with 3 and lost by its id.
BruteForceResult truth() {
  BruteForceResult result;
  result.queries.push_back({.id = 7,
                            .similar = {{1, 90}, {2, 80}, {3, 50}, {4, 50}},
                            .nearest = {{1, 90}, {2, 80}, {3, 50}}});
  return result;
}

uint32_t true_sum(uint32_t, uint32_t b) {
  constexpr uint32_t sums[] = {10, 90, 80, 50, 50, 20, 0, 100};
  return sums[b];
}

RecallReport check(std::vector<similar::Neighbour> pairs,
                   std::vector<similar::Neighbour> neighbours) {
  return check_recall(
      truth(), [&](uint32_t, std::vector<similar::Neighbour>& out) { out = pairs; },
      [&](uint32_t, std::vector<similar::Neighbour>& out) { out = neighbours; }, 80, true_sum);
}

TEST(RecallCheck, TheTruthIsPerfect) {
  const RecallReport report =
      check({{3, 50}, {1, 90}, {4, 50}, {2, 80}}, {{1, 90}, {2, 80}, {3, 50}});
  EXPECT_EQ(report.queries, 1u);
  EXPECT_EQ(report.pair_recall.value(), 1.0);
  EXPECT_EQ(report.pair_precision.value(), 1.0);
  EXPECT_EQ(report.neighbour_recall.value(), 1.0);
  EXPECT_EQ(report.similar_neighbour_recall.hits, 2u);
  EXPECT_EQ(report.similar_neighbour_recall.of, 2u);
  EXPECT_EQ(report.neighbour_precision.value(), 1.0);
}

TEST(RecallCheck, FarNeighboursDoNotCountAsSimilar) {
  const RecallReport report = check({}, {{2, 80}, {3, 50}, {4, 50}});
  EXPECT_EQ(report.neighbour_recall.hits, 3u);
  EXPECT_EQ(report.similar_neighbour_recall.hits, 1u);
  EXPECT_EQ(report.similar_neighbour_recall.of, 2u);
}

TEST(RecallCheck, ATieAtTheLastRankIsRight) {
  const RecallReport report = check({}, {{1, 90}, {2, 80}, {4, 50}});
  EXPECT_EQ(report.neighbour_recall.value(), 1.0);
  EXPECT_EQ(report.pair_recall.hits, 0u);
  EXPECT_EQ(report.pair_recall.of, 4u);
  EXPECT_EQ(report.pair_precision.value(), 1.0);  // nothing was claimed
}

TEST(RecallCheck, WrongSumsStrangersAndRepeatsAreWrong) {
  const RecallReport report =
      check({{1, 90}, {1, 90}, {2, 81}, {5, 20}}, {{1, 90}, {1, 90}, {2, 81}, {5, 20}, {7, 100}});
  EXPECT_EQ(report.pair_recall.hits, 1u);
  EXPECT_EQ(report.pair_precision.of, 4u);
  EXPECT_EQ(report.neighbour_recall.hits, 1u);
  EXPECT_EQ(report.neighbour_recall.of, 3u);
  EXPECT_EQ(report.neighbour_precision.of, 5u);
}

TEST(RecallCheck, WithoutQueriesNothingIsMissed) {
  const RecallReport report = check_recall({}, nullptr, nullptr, 0, true_sum);
  EXPECT_EQ(report.queries, 0u);
  EXPECT_EQ(report.pair_recall.value(), 1.0);
}

}  // namespace
}  // namespace kith::evaluate
