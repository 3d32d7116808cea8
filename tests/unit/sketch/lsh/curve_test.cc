#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "sketch/lsh/tables.h"

namespace kith::sketch {
namespace {

// All k-subsets of m lanes as bit masks.
std::vector<uint32_t> all_subsets(uint32_t lanes, uint32_t per_key) {
  std::vector<uint32_t> subsets;
  for (uint32_t mask = 0; mask < 1u << lanes; ++mask) {
    if (static_cast<uint32_t>(std::popcount(mask)) == per_key) subsets.push_back(mask);
  }
  return subsets;
}

TableParams random_tables(uint32_t lanes, uint32_t per_key, uint32_t tables) {
  return {.lanes = lanes, .per_key = per_key, .tables = tables, .subsets = Subsets::random};
}

// R(s) by trying every choice of distinct tables against every set of equal lanes.
double collision_by_enumeration(double s, uint32_t lanes, uint32_t per_key, uint32_t tables) {
  const std::vector<uint32_t> subsets = all_subsets(lanes, per_key);
  double sum = 0.0;
  double choices = 0.0;
  for (uint32_t chosen = 0; chosen < 1u << subsets.size(); ++chosen) {
    if (static_cast<uint32_t>(std::popcount(chosen)) != tables) continue;
    ++choices;
    for (uint32_t equal = 0; equal < 1u << lanes; ++equal) {
      bool met = false;
      for (size_t i = 0; i < subsets.size(); ++i) {
        met = met || ((chosen >> i & 1) != 0 && (subsets[i] & ~equal) == 0);
      }
      const int count = std::popcount(equal);
      if (met) sum += std::pow(s, count) * std::pow(1.0 - s, static_cast<int>(lanes) - count);
    }
  }
  return sum / choices;
}

// The share of orders of the lanes of which none of the first n subsets lies within `equal`.
double free_orders(uint32_t lanes, uint32_t per_key, uint32_t n, uint32_t equal) {
  std::vector<uint32_t> order(lanes);
  std::iota(order.begin(), order.end(), 0u);
  double free = 0.0;
  double orders = 0.0;
  do {
    bool met = false;
    for (uint32_t subset = 0; subset < n; ++subset) {
      const auto first = order.begin() + subset * per_key;
      met = met || std::all_of(first, first + per_key,
                               [&](uint32_t lane) { return (equal >> lane & 1) != 0; });
    }
    free += met ? 0.0 : 1.0;
    ++orders;
  } while (std::ranges::next_permutation(order).found);
  return free / orders;
}

// R(s) of disjoint subsets by trying every order of the lanes against every set of equal lanes.
double disjoint_collision_by_enumeration(double s, uint32_t lanes, uint32_t per_key,
                                         uint32_t tables) {
  const uint32_t of_order = lanes / per_key;
  double sum = 0.0;
  for (uint32_t equal = 0; equal < 1u << lanes; ++equal) {
    double free = free_orders(lanes, per_key, tables % of_order, equal);
    for (uint32_t i = 0; i < tables / of_order; ++i) {
      free *= free_orders(lanes, per_key, of_order, equal);
    }
    const int count = std::popcount(equal);
    sum += std::pow(s, count) * std::pow(1.0 - s, static_cast<int>(lanes) - count) * (1.0 - free);
  }
  return sum;
}

// The form for tables drawn with replacement, with factorials in log space.
double collision_with_replacement(double s, const TableParams& params) {
  const double m = params.lanes;
  const double k = params.per_key;
  const auto log_choose = [](double n, double r) {
    return std::lgamma(n + 1) - std::lgamma(r + 1) - std::lgamma(n - r + 1);
  };
  double sum = 0.0;
  for (double x = 0; x <= m; ++x) {
    const double chance = std::exp(log_choose(m, x) + x * std::log(s) + (m - x) * std::log1p(-s));
    const double inside = x < k ? 0.0 : std::exp(log_choose(x, k) - log_choose(m, k));
    sum += chance * (1.0 - std::pow(1.0 - inside, params.tables));
  }
  return sum;
}

TEST(CollisionProbability, AgreesWithEnumeration) {
  for (const double s : {0.0, 0.1, 0.37, 0.5, 0.9, 1.0}) {
    for (const uint32_t tables : {1u, 2u, 3u, 9u, 10u}) {
      for (const uint32_t per_key : {2u, 3u}) {
        EXPECT_NEAR(collision_probability(s, random_tables(5, per_key, tables)),
                    collision_by_enumeration(s, 5, per_key, tables), 1e-12);
      }
    }
    for (const uint32_t tables : {1u, 2u, 4u}) {
      EXPECT_NEAR(collision_probability(s, random_tables(4, 1, tables)),
                  collision_by_enumeration(s, 4, 1, tables), 1e-12);
    }
  }
}

TEST(CollisionProbability, OfDisjointSubsetsAgreesWithEnumeration) {
  for (const double s : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    for (const uint32_t per_key : {1u, 2u, 3u, 6u}) {
      for (const uint32_t tables : {1u, 2u, 3u, 5u, 6u, 7u}) {
        const TableParams params = {.lanes = 6, .per_key = per_key, .tables = tables};
        EXPECT_NEAR(collision_probability(s, params),
                    disjoint_collision_by_enumeration(s, 6, per_key, tables), 1e-12);
      }
    }
    EXPECT_NEAR(collision_probability(s, {.lanes = 5, .per_key = 2, .tables = 5}),
                disjoint_collision_by_enumeration(s, 5, 2, 5), 1e-12);
  }
}

TEST(CollisionProbability, OfDisjointSubsetsIsIndependentInOneOrder) {
  for (const uint32_t lanes : {128u, 1024u}) {
    for (uint32_t k = 1; k <= max_per_key; ++k) {
      for (const uint32_t tables : {1u, 7u, lanes / k}) {
        const TableParams params = {.lanes = lanes, .per_key = k, .tables = tables};
        for (const double s : {0.01, 0.2, 0.7, 0.99}) {
          EXPECT_NEAR(collision_probability(s, params),
                      band_collision_probability(s, params.tables, params.per_key), 1e-10);
        }
      }
    }
  }
}

// docs/algorithms/lsh.md, "Tables" and "How likely a pair meets".
TEST(CollisionProbability, NumbersOfTheDocumentation) {
  EXPECT_NEAR(collision_probability(0.2, {.lanes = 80, .per_key = 3, .tables = 125}), 0.571, 5e-4);
  EXPECT_NEAR(collision_probability(0.2, {.lanes = 128, .per_key = 2, .tables = 40}), 0.805, 5e-4);
  EXPECT_NEAR(collision_probability(0.2, random_tables(128, 2, 40)), 0.773, 5e-4);
  const auto choices = table_choices(0.2, 0.9, 128, 512, 1);
  ASSERT_TRUE(choices.is_ok());
  EXPECT_EQ((*choices)[1].tables, 57u);
  EXPECT_LT(collision_probability(0.2, random_tables(128, 2, 65)), 0.9);
  EXPECT_GE(collision_probability(0.2, random_tables(128, 2, 66)), 0.9);
}

TEST(CollisionProbability, OfDisjointSubsetsIsAtLeastThatOfRandomOnes) {
  for (const uint32_t per_key : {1u, 2u, 3u, 5u, 8u}) {
    for (const uint32_t tables : {1u, 12u, 52u, 125u, 400u}) {
      const TableParams disjoint = {.lanes = 128, .per_key = per_key, .tables = tables};
      for (const double s : {0.05, 0.2, 0.5, 0.9}) {
        EXPECT_GE(collision_probability(s, disjoint),
                  collision_probability(s, random_tables(128, per_key, tables)) - 1e-3);
      }
    }
  }
}

TEST(CollisionProbability, MoreTablesThanSubsetsChangeNothing) {
  const TableParams all = random_tables(5, 2, 10);
  TableParams more = all;
  more.tables = 300;
  EXPECT_EQ(collision_probability(0.3, all), collision_probability(0.3, more));
}

TEST(CollisionProbability, NumbersOfThePaper) {
  const TableParams paper = random_tables(80, 3, 125);
  EXPECT_NEAR(collision_probability(0.2, paper), 0.559, 0.0005);
  EXPECT_NEAR(band_collision_probability(0.2, paper.tables, paper.per_key), 0.634, 0.0005);
}

TEST(CollisionProbability, TendsToTheFormWithReplacement) {
  for (const double s : {0.05, 0.2, 0.5, 0.8}) {
    for (const TableParams& params : {random_tables(1024, 5, 100), random_tables(512, 8, 1024)}) {
      EXPECT_NEAR(collision_probability(s, params), collision_with_replacement(s, params), 1e-6);
    }
    const TableParams usual = random_tables(128, 3, 60);
    EXPECT_NEAR(collision_probability(s, usual), collision_with_replacement(s, usual), 2e-3);
    EXPECT_GE(collision_probability(s, usual), collision_with_replacement(s, usual) - 1e-9);
  }
}

TEST(CollisionProbability, OneTableIsSimilarityToThePower) {
  for (uint32_t k = 1; k <= max_per_key; ++k) {
    for (const double s : {0.01, 0.2, 0.9}) {
      const TableParams params = {.lanes = 1024, .per_key = k, .tables = 1};
      EXPECT_NEAR(collision_probability(s, params), std::pow(s, k), 1e-12);
      EXPECT_NEAR(band_collision_probability(s, params.tables, params.per_key), std::pow(s, k),
                  1e-15);
    }
  }
}

TEST(CollisionProbability, RisesFromZeroToOne) {
  for (const TableParams& params :
       {TableParams{}, TableParams{.lanes = 1024, .per_key = 8, .tables = 1024},
        TableParams{.lanes = 8, .per_key = 8, .tables = 1}}) {
    EXPECT_EQ(collision_probability(0.0, params), 0.0);
    EXPECT_NEAR(collision_probability(1.0, params), 1.0, 1e-12);
    double before = 0.0;
    for (double s = 0.0; s < 1.0; s += 0.01) {
      const double chance = collision_probability(s, params);
      EXPECT_GE(chance, before - 1e-12);
      EXPECT_LE(chance, 1.0);
      before = chance;
    }
  }
}

// Mining of Massive Datasets, figure 3.8: 20 bands of 5 rows.
TEST(BandCollisionProbability, NumbersOfTheBook) {
  const double expected[] = {.006, .047, .186, .470, .802, .975, .9996};
  for (int i = 0; i < 7; ++i) {
    const double rounding = i == 6 ? 0.00005 : 0.0005;
    EXPECT_NEAR(band_collision_probability((i + 2) / 10.0, 20, 5), expected[i], rounding);
  }
  EXPECT_EQ(band_collision_probability(0.0, 20, 5), 0.0);
  EXPECT_EQ(band_collision_probability(1.0, 20, 5), 1.0);
}

TEST(CurveAreas, AgreeWithAFineSum) {
  for (const TableParams& params :
       {TableParams{}, TableParams{.lanes = 256, .per_key = 8, .tables = 100}}) {
    for (const double threshold : {0.0, 0.2, 0.5, 1.0}) {
      double positive = 0.0;
      double negative = 0.0;
      constexpr int steps = 400;
      for (int i = 0; i < steps; ++i) {
        const double s = (i + 0.5) / steps;
        const double chance = collision_probability(s, params);
        (s < threshold ? positive : negative) += s < threshold ? chance : 1.0 - chance;
      }
      const CurveAreas areas = curve_areas(threshold, params);
      EXPECT_NEAR(areas.false_positive, positive / steps, 1e-4);
      EXPECT_NEAR(areas.false_negative, negative / steps, 1e-4);
    }
  }
}

TEST(ChooseTables, AreTheFewestOfTheMostSelectiveKey) {
  for (const double s : {0.1, 0.2, 0.3, 0.5, 0.8, 0.95}) {
    for (const double recall : {0.5, 0.9, 0.99}) {
      constexpr uint32_t most = 200;
      const Result<TableParams> chosen = choose_tables(s, recall, 128, most, 9);
      ASSERT_TRUE(chosen.is_ok()) << chosen.error().message;
      TableParams params = *chosen;
      EXPECT_EQ(params.lanes, 128u);
      EXPECT_EQ(params.seed, 9u);
      EXPECT_LE(params.tables, most);
      EXPECT_GE(collision_probability(s, params), recall - 1e-12);
      if (params.tables > 1) {
        --params.tables;
        EXPECT_LT(collision_probability(s, params), recall);
      }
      if (params.per_key < max_per_key) {
        ++params.per_key;
        params.tables = most;
        EXPECT_LT(collision_probability(s, params), recall);
      }
    }
  }
}

TEST(TableChoices, AreTheFewestForEveryKey) {
  for (const double s : {0.1, 0.2, 0.5, 0.95}) {
    const auto choices = table_choices(s, 0.9, 128, 500, 9);
    ASSERT_TRUE(choices.is_ok());
    for (size_t i = 0; i < choices->size(); ++i) {
      TableParams params = (*choices)[i];
      EXPECT_EQ(params.per_key, i + 1);
      EXPECT_GE(collision_probability(s, params), 0.9 - 1e-12);
      if (--params.tables == 0) continue;
      EXPECT_LT(collision_probability(s, params), 0.9);
    }
    const TableParams last = choices->back();
    EXPECT_EQ(choose_tables(s, 0.9, 128, 500, 9)->tables, last.tables);
    EXPECT_EQ(choose_tables(s, 0.9, 128, 500, 9)->per_key, last.per_key);
  }
}

TEST(ChooseTables, MoreTablesAllowKeysThatAreNoLessSelective) {
  uint32_t before = 0;
  for (uint32_t most = 20; most <= tables_limit; most *= 2) {
    const Result<TableParams> chosen = choose_tables(0.2, 0.8, 128, most, 1);
    ASSERT_TRUE(chosen.is_ok());
    EXPECT_GE(chosen->per_key, before);
    before = chosen->per_key;
  }
}

void expect_refused(double similarity, double recall, uint32_t lanes, uint32_t max_tables,
                    const std::string& part) {
  const Result<TableParams> chosen = choose_tables(similarity, recall, lanes, max_tables, 1);
  ASSERT_FALSE(chosen.is_ok()) << part;
  EXPECT_EQ(chosen.error().kind, ErrorKind::usage);
  EXPECT_NE(chosen.error().message.find(part), std::string::npos) << chosen.error().message;
}

TEST(ChooseTables, RefusesWhatIsOutOfRange) {
  for (const double bad : {0.0, 1.0, -0.5, 2.0, std::nan("")}) {
    expect_refused(bad, 0.9, 128, 100, "similarity");
    expect_refused(0.2, bad, 128, 100, "recall");
  }
  expect_refused(0.2, 0.9, 0, 100, "lanes");
  expect_refused(0.2, 0.9, 1025, 100, "lanes");
  expect_refused(0.2, 0.9, 128, 0, "tables");
  expect_refused(0.2, 0.9, 128, tables_limit + 1, "tables");
}

TEST(ChooseTables, NamesTheBestThatCanBeHad) {
  // One key of one lane: R(s) = s.
  expect_refused(0.2, 0.9, 128, 1, "the best is 0.20; give more `lanes`");
}

TEST(ChooseTables, WorksWithFewLanes) {
  const Result<TableParams> chosen = choose_tables(0.9, 0.5, 2, 4, 1);
  ASSERT_TRUE(chosen.is_ok());
  EXPECT_EQ(chosen->per_key, 2u);
  EXPECT_EQ(chosen->tables, 1u);
}

// 16 bits are hardly ever equal by chance.
TEST(FilteredCollisionProbability, IsThatOfThePaper) {
  const TableParams paper = random_tables(80, 3, 125);
  EXPECT_NEAR(filtered_collision_probability(0.2, paper, 16, 16), 0.398, 5e-4);
  EXPECT_NEAR(filtered_collision_probability(0.2, paper, 8, 16), 0.4114, 5e-4);
}

TEST(FilteredCollisionProbability, EndsAtNoFilterAndAtAllLanes) {
  const TableParams params{.lanes = 16, .per_key = 2, .tables = 10};
  for (const double s : {0.0, 0.1, 0.5, 1.0}) {
    EXPECT_NEAR(filtered_collision_probability(s, params, 8, 0), collision_probability(s, params),
                1e-12);
    // All 16 values equal in one bit: pairs that meet have at least two equal by similarity.
    EXPECT_LE(filtered_collision_probability(s, params, 1, 16), collision_probability(s, params));
    EXPECT_NEAR(filtered_collision_probability(s, params, 8, 17), 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace kith::sketch
