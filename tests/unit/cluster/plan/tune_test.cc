#include "kith/tune.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace kith::cluster {
namespace {

// Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, figure 3.8.
TEST(Tune, BandsOfMiningOfMassiveDatasets) {
  BandPlan plan;
  plan.bands = 20;
  plan.rows = 5;
  const double table[][2] = {{0.2, 0.006}, {0.3, 0.047}, {0.4, 0.186}, {0.5, 0.470},
                             {0.6, 0.802}, {0.7, 0.975}, {0.8, 0.9996}};
  for (const auto& [similarity, chance] : table) {
    EXPECT_NEAR(recall_at(plan, similarity), chance, 0.0006);
  }
}

TEST(Tune, ThereIsNoRecallOfTablesThatThereAreNot) {
  const std::vector<TablePlan> wrong{
      {.lanes = 128, .per_key = 0, .tables = 1},       {.lanes = 128, .per_key = 9, .tables = 1},
      {.lanes = 4, .per_key = 5, .tables = 1},         {.lanes = 128, .per_key = 1, .tables = 0},
      {.lanes = 128, .per_key = 1, .tables = 1025},    {.lanes = 0, .per_key = 1, .tables = 1},
      {.lanes = UINT32_MAX, .per_key = 1, .tables = 1}};
  for (const TablePlan& plan : wrong) {
    EXPECT_TRUE(std::isnan(recall_at(plan, 0.5)));
    const Status status = validate(plan);
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
  }
}

TEST(Tune, SimilaritiesBeyondTheEndsAreThese) {
  const auto expect_ends = [](const auto& plan) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(recall_at(plan, -0.5), recall_at(plan, 0.0));
    EXPECT_EQ(recall_at(plan, -infinity), recall_at(plan, 0.0));
    EXPECT_EQ(recall_at(plan, 1.5), recall_at(plan, 1.0));
    EXPECT_EQ(recall_at(plan, infinity), recall_at(plan, 1.0));
    EXPECT_TRUE(std::isnan(recall_at(plan, std::nan(""))));
  };
  expect_ends(TablePlan{.lanes = 128, .per_key = 4, .tables = 16});
  expect_ends(BandPlan{.lanes = 128, .rows = 5, .bands = 20});
  expect_ends(SuperShinglePlan{.minima = 14, .groups = 6, .least = 2});
  expect_ends(FingerprintPlan{.distance = 3});
}

TEST(Tune, TheChosenBandsAreOfThosePlanned) {
  const auto plans = plan_all_bands(0.8, 0.99, 128);
  const auto chosen = plan_bands(0.8, 0.99, 128);
  ASSERT_TRUE(plans && chosen);
  EXPECT_EQ(chosen->rows, 6u);
  EXPECT_EQ(chosen->bands, 16u);
  bool found = false;
  for (const BandPlan& plan : *plans) {
    EXPECT_GE(plan.recall, 0.99);
    EXPECT_LE(plan.rows * plan.bands, 128u);
    EXPECT_GE(plan.false_positives, chosen->false_positives);
    found = found || plan.rows == chosen->rows;
  }
  EXPECT_TRUE(found);
  EXPECT_FALSE(plan_all_bands(0.1, 0.999, 16));
}

// Broder 2000: 2 of 6 super-shingles of 14 minima.
TEST(Tune, SuperShinglesOfBroder) {
  const SuperShinglePlan plan{.minima = 14, .groups = 6, .least = 2};
  EXPECT_NEAR(recall_at(plan, 0.98), 0.995, 0.005);
  EXPECT_NEAR(recall_at(plan, 0.95), 0.88, 0.01);
  EXPECT_NEAR(recall_at(plan, 0.80), 0.03, 0.005);
  const auto plans = plan_all_super_shingles(0.95, 0.87, 84, 6, 2);
  ASSERT_TRUE(plans);
  EXPECT_EQ(plans->front().minima, 1u);
  EXPECT_EQ(plans->back().minima, 14u);
  for (size_t i = 1; i < plans->size(); ++i) {
    EXPECT_LT((*plans)[i].false_positives, (*plans)[i - 1].false_positives);
    EXPECT_GT((*plans)[i].false_negatives, (*plans)[i - 1].false_negatives);
  }
}

TEST(Tune, SuperShinglesOutOfRange) {
  EXPECT_FALSE(plan_all_super_shingles(0.95, 0.9, 128, 0, 1));
  EXPECT_FALSE(plan_all_super_shingles(0.95, 0.9, 128, 129, 2));
  EXPECT_FALSE(plan_all_super_shingles(0.95, 0.9, 128, 6, 7));
  EXPECT_FALSE(plan_all_super_shingles(0.95, 0.9, 128, 6, 0));
  const auto impossible = plan_all_super_shingles(0.2, 0.99, 128, 2, 2);
  ASSERT_FALSE(impossible);
  EXPECT_EQ(impossible.error().kind, ErrorKind::usage);
}

// Manku, Jain, Das Sarma 2007, section 3: 64 bits, k = 3, 2^34 fingerprints.
TEST(Tune, FingerprintTablesOfManku) {
  const auto plans = plan_all_fingerprint_tables(uint64_t{1} << 34, 3);
  ASSERT_TRUE(plans);
  struct Figure {
    uint32_t tables;
    uint32_t min_prefix;
    uint32_t max_prefix;
  };
  constexpr Figure figures[] = {{4, 16, 16}, {10, 25, 26}, {16, 28, 28}, {20, 31, 33}};
  for (size_t i = 0; i < std::size(figures); ++i) {
    EXPECT_EQ((*plans)[i].tables, figures[i].tables);
    EXPECT_EQ((*plans)[i].min_prefix, figures[i].min_prefix);
    EXPECT_EQ((*plans)[i].max_prefix, figures[i].max_prefix);
  }
  // 2^(34 - 16) = 2^18 per table of four, 2^(34 - 28) of sixteen.
  EXPECT_EQ((*plans)[0].candidates, 4 * std::ldexp(1.0, 18));
  EXPECT_EQ((*plans)[2].candidates, 16 * std::ldexp(1.0, 6));
  EXPECT_EQ((*plans)[2].inner, 4u);
  const auto four = plan_fingerprint_tables(uint64_t{1} << 34, 3, 5);
  ASSERT_TRUE(four);
  EXPECT_EQ(four->tables, 4u);
  EXPECT_FALSE(plan_fingerprint_tables(1000, 3, 3));
  EXPECT_FALSE(plan_fingerprint_tables(1000, 8, 64));
  EXPECT_FALSE(plan_all_fingerprint_tables(1000, 8));
}

TEST(Tune, MoreDistanceFindsMore) {
  const auto plans = plan_all_fingerprints(0.95);
  ASSERT_TRUE(plans);
  ASSERT_EQ(plans->size(), 8u);
  for (size_t k = 1; k < plans->size(); ++k) {
    EXPECT_EQ((*plans)[k].distance, k);
    EXPECT_GT((*plans)[k].recall, (*plans)[k - 1].recall);
    EXPECT_LT((*plans)[k].false_negatives, (*plans)[k - 1].false_negatives);
    EXPECT_GT((*plans)[k].false_positives, (*plans)[k - 1].false_positives);
  }
  for (const double cosine : {0.0, 1.0, std::nan("")}) EXPECT_FALSE(plan_all_fingerprints(cosine));
}

}  // namespace
}  // namespace kith::cluster
