#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/lsh/duplicate_tables.h"
#include "sketch/set_sketches.h"

namespace kith::sketch {
namespace {

// Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, figure 3.8: b = 20, r = 5.
struct Point {
  double similarity;
  double chance;
  double rounding;  // of the book
};
constexpr Point mmds[] = {{0.2, 0.006, 0.0005},  {0.3, 0.047, 0.0006}, {0.4, 0.186, 0.0005},
                          {0.5, 0.470, 0.0005},  {0.6, 0.802, 0.0005}, {0.7, 0.975, 0.0005},
                          {0.8, 0.9996, 0.00005}};

TEST(Bands, MiningOfMassiveDatasetsComputed) {
  for (const Point& point : mmds) {
    EXPECT_NEAR(band_collision_probability(point.similarity, 20, 5), point.chance, point.rounding);
  }
}

// Two sets whose union has 1000 elements.
std::pair<std::vector<uint64_t>, std::vector<uint64_t>> sets_of(Rng& rng, double similarity) {
  constexpr size_t all = 1000;
  const auto common = static_cast<size_t>(std::lround(similarity * all));
  std::vector<uint64_t> a;
  std::vector<uint64_t> b;
  for (size_t i = 0; i < all; ++i) {
    const uint64_t element = rng();
    if (i < common || i % 2 == 0) a.push_back(element);
    if (i < common || i % 2 == 1) b.push_back(element);
  }
  return {a, b};
}

bool meet(const SetSketcher& hasher, std::span<const uint64_t> a, std::span<const uint64_t> b,
          const BandParams& params) {
  std::array<uint16_t, 112> x;
  std::array<uint16_t, 112> y;
  hasher.sketch(a, x);
  hasher.sketch(b, y);
  std::vector<uint64_t> x_keys(params.bands);
  std::vector<uint64_t> y_keys(params.bands);
  super_shingles(x, params.rows, 0, x_keys);
  super_shingles(y, params.rows, 0, y_keys);
  for (size_t i = 0; i < x_keys.size(); ++i) {
    if (x_keys[i] == y_keys[i]) return true;
  }
  return false;
}

TEST(Bands, MiningOfMassiveDatasetsSimulated) {
  constexpr int trials = 1500;
  constexpr BandParams params = {.bands = 20, .rows = 5};
  for (const MinHashFamily family : {MinHashFamily::lanes, MinHashFamily::bins}) {
    std::vector<SetSketcher> hashers;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      hashers.emplace_back(SetSketchOptions{.family = family, .lanes = 112, .seed = seed});
    }
    Rng rng(7);
    for (const Point& point : mmds) {
      int met = 0;
      for (int i = 0; i < trials; ++i) {
        const auto [a, b] = sets_of(rng, point.similarity);
        met += meet(hashers[static_cast<size_t>(i) % hashers.size()], a, b, params);
      }
      const double p = band_collision_probability(point.similarity, 20, 5);
      EXPECT_NEAR(static_cast<double>(met) / trials, p,
                  4.0 * std::sqrt(p * (1.0 - p) / trials) + 0.001)
          << "similarity " << point.similarity << ", family " << static_cast<int>(family);
    }
  }
}

TEST(BandCurveAreas, AgainstASumOfManyStrips) {
  constexpr int strips = 100000;
  for (const BandParams params : {BandParams{1, 1}, BandParams{20, 5}, BandParams{16, 6}}) {
    for (const double threshold : {0.0, 0.3, 0.8, 1.0}) {
      double below = 0.0;
      double above = 0.0;
      for (int i = 0; i < strips; ++i) {
        const double s = (i + 0.5) / strips;
        const double hit = band_collision_probability(s, params.bands, params.rows);
        (s < threshold ? below : above) += (s < threshold ? hit : 1.0 - hit) / strips;
      }
      const CurveAreas areas = band_curve_areas(threshold, params);
      EXPECT_NEAR(areas.false_positive, below, 1e-5);
      EXPECT_NEAR(areas.false_negative, above, 1e-5);
    }
  }
}

// Every b and r that fit are tried: none that reaches the recall has fewer false positives.
TEST(ChooseBands, HasTheFewestFalsePositivesOfAllThatReachTheRecall) {
  for (const uint32_t lanes : {1u, 16u, 100u, 128u, 256u}) {
    for (const double similarity : {0.3, 0.5, 0.8, 0.95}) {
      for (const double recall : {0.5, 0.9, 0.99}) {
        double best = 2.0;
        for (uint32_t rows = 1; rows <= std::min(max_rows, lanes); ++rows) {
          for (uint32_t bands = 1; bands * rows <= lanes; ++bands) {
            if (band_collision_probability(similarity, bands, rows) < recall) continue;
            best = std::min(best, band_curve_areas(similarity, {bands, rows}).false_positive);
          }
        }
        const auto chosen = choose_bands(similarity, recall, lanes);
        ASSERT_EQ(chosen.is_ok(), best < 2.0);
        if (!chosen.is_ok()) continue;
        EXPECT_LE(chosen.value().lanes(), lanes);
        EXPECT_GE(band_collision_probability(similarity, chosen.value().bands, chosen.value().rows),
                  recall);
        EXPECT_EQ(band_curve_areas(similarity, chosen.value()).false_positive, best);
      }
    }
  }
}

TEST(ChooseBands, Known) {
  // log(1 - 0.99) / log(1 - 0.8^6) = 15.2, and 7 rows would take 20 bands: 140 minima.
  EXPECT_EQ(choose_bands(0.8, 0.99, 128).value(), (BandParams{.bands = 16, .rows = 6}));
  EXPECT_EQ(choose_bands(0.8, 0.99, 140).value(), (BandParams{.bands = 20, .rows = 7}));
}

TEST(BandChoices, TheFewestBandsForEveryNumberOfRows) {
  const auto choices = band_choices(0.8, 0.99, 128);
  ASSERT_TRUE(choices.is_ok());
  uint32_t rows = 0;
  for (const BandParams& params : choices.value()) {
    EXPECT_EQ(params.rows, ++rows);
    EXPECT_LE(params.lanes(), 128u);
    EXPECT_GE(band_collision_probability(0.8, params.bands, params.rows), 0.99);
    if (params.bands > 1) {
      EXPECT_LT(band_collision_probability(0.8, params.bands - 1, params.rows), 0.99);
    }
  }
  EXPECT_EQ(rows, 6u);
}

TEST(BandChoices, ErrorsNameWhatIsWrong) {
  const auto message = [](double similarity, double recall, uint32_t lanes) {
    const auto choices = band_choices(similarity, recall, lanes);
    EXPECT_FALSE(choices.is_ok());
    return choices.is_ok() ? std::string() : choices.error().message;
  };
  EXPECT_NE(message(0.0, 0.9, 128).find("similarity = 0"), std::string::npos);
  EXPECT_NE(message(0.8, 1.0, 128).find("recall = 1"), std::string::npos);
  EXPECT_NE(message(0.8, 0.9, 0).find("lanes = 0"), std::string::npos);
  EXPECT_NE(message(0.8, 0.9, 1025).find("lanes = 1025"), std::string::npos);
  const std::string hopeless = message(0.1, 0.99, 16);
  EXPECT_NE(hopeless.find("the best is 0.81; give more `lanes`"), std::string::npos) << hopeless;
}

}  // namespace
}  // namespace kith::sketch
