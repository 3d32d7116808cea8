#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/lsh/duplicate_tables.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/set_sketches.h"

namespace kith::sketch {
namespace {

TEST(DuplicateCurves, OneSuperShingleOfOneMinimumIsAStraightLine) {
  // Chance agreements lift it by 2^-16 at most.
  const CurveAreas areas = super_shingle_curve_areas(0.6, 1, 1, 1);
  EXPECT_NEAR(areas.false_positive, 0.18, 2e-5);
  EXPECT_NEAR(areas.false_negative, 0.08, 2e-5);
}

TEST(DuplicateCurves, AreasOfBrodersSuperShingles) {
  const CurveAreas areas = super_shingle_curve_areas(0.9, 14, 6, 2);
  double below = 0;
  double above = 0;
  constexpr int steps = 100'000;
  for (int i = 0; i < steps; ++i) {
    const double s = (i + 0.5) / steps;
    const double chance = shared_super_shingles_probability(s, 14, 6, 2);
    (s < 0.9 ? below : above) += (s < 0.9 ? chance : 1 - chance) / steps;
  }
  EXPECT_NEAR(areas.false_positive, below, 1e-6);
  EXPECT_NEAR(areas.false_negative, above, 1e-6);
}

TEST(DuplicateCurves, FingerprintsOfEqualAndOfOrthogonalVectors) {
  for (uint32_t k = 0; k <= max_distance; ++k) {
    EXPECT_EQ(near_fingerprint_probability(1.0, k), 1.0);
  }
  EXPECT_NEAR(near_fingerprint_probability(0.0, 0), std::ldexp(1.0, -64), 1e-25);
  // Half of all fingerprints are within 32 bits, and half of the middle.
  EXPECT_GT(near_fingerprint_probability(0.0, 32), 0.5);
  EXPECT_EQ(near_fingerprint_probability(0.0, 64), 1.0);
}

// Bits that differ with the chance of the angle, drawn.
TEST(DuplicateCurves, FingerprintsSimulated) {
  Rng rng(1);
  for (const double cosine : {0.9, 0.97, 0.995}) {
    const double differ = std::acos(cosine) / std::numbers::pi;
    constexpr int pairs = 20'000;
    int within = 0;
    for (int pair = 0; pair < pairs; ++pair) {
      int distance = 0;
      for (int bit = 0; bit < 64; ++bit) {
        distance += static_cast<double>(rng() >> 11) * 0x1p-53 < differ ? 1 : 0;
      }
      within += distance <= 3 ? 1 : 0;
    }
    EXPECT_NEAR(near_fingerprint_probability(cosine, 3), static_cast<double>(within) / pairs,
                0.015);
  }
}

TEST(DuplicateCurves, AreasOfFingerprintsAddUp) {
  for (const uint32_t k : {0u, 3u, 7u}) {
    const CurveAreas areas = near_fingerprint_curve_areas(0.95, k);
    double below = 0;
    double above = 0;
    constexpr int steps = 20'000;
    for (int i = 0; i < steps; ++i) {
      const double s = (i + 0.5) / steps;
      const double chance = near_fingerprint_probability(s, k);
      (s < 0.95 ? below : above) += (s < 0.95 ? chance : 1 - chance) / steps;
    }
    EXPECT_NEAR(areas.false_positive, below, 1e-5);
    EXPECT_NEAR(areas.false_negative, above, 1e-5);
  }
}

}  // namespace
}  // namespace kith::sketch
