#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/signature.h"

namespace kith::sketch {
namespace {

// P(X = x) for X ~ Bin(n, p) by the recurrence over trials: slow, but without any formula.
std::vector<double> distribution(uint32_t n, double p) {
  std::vector<double> chances = {1.0};
  for (uint32_t trial = 0; trial < n; ++trial) {
    std::vector<double> next(chances.size() + 1, 0.0);
    for (size_t x = 0; x < chances.size(); ++x) {
      next[x] += chances[x] * (1.0 - p);
      next[x + 1] += chances[x] * p;
    }
    chances = next;
  }
  return chances;
}

double share_of_equal(double similarity, uint32_t bits) {
  const double chance = std::ldexp(1.0, -static_cast<int>(bits));
  return similarity + (1.0 - similarity) * chance;
}

TEST(EstimateSimilarity, IsUnbiasedUntilItIsCut) {
  constexpr uint32_t lanes = 128;
  for (const uint32_t bits : {1u, 8u, 16u}) {
    for (const double s : {0.5, 0.7}) {
      const std::vector<double> chances = distribution(lanes, share_of_equal(s, bits));
      double mean = 0.0;
      for (uint32_t x = 0; x <= lanes; ++x) {
        mean += chances[x] * estimate_similarity(x, lanes, bits, 0.9).value;
      }
      EXPECT_NEAR(mean, s, 1e-9);
    }
  }
}

// The exact chance, not a simulation: each side misses with at most half of what is allowed.
TEST(EstimateSimilarity, BoundsCoverTheTruthAsOftenAsTheySay) {
  for (const uint32_t lanes : {16u, 80u, 128u}) {
    for (const uint32_t bits : {8u, 16u}) {
      for (const double confidence : {0.5, 0.9, 0.99}) {
        std::vector<Estimate> estimates;
        for (uint32_t x = 0; x <= lanes; ++x) {
          estimates.push_back(estimate_similarity(x, lanes, bits, confidence));
        }
        for (double s = 0.0; s <= 1.0; s += 1.0 / 64) {
          const std::vector<double> chances = distribution(lanes, share_of_equal(s, bits));
          double below = 0.0;
          double above = 0.0;
          for (uint32_t x = 0; x <= lanes; ++x) {
            below += s < estimates[x].lower ? chances[x] : 0.0;
            above += s > estimates[x].upper ? chances[x] : 0.0;
          }
          const double allowed = (1.0 - confidence) / 2.0 + 1e-12;
          EXPECT_LE(below, allowed) << lanes << ' ' << bits << ' ' << confidence << ' ' << s;
          EXPECT_LE(above, allowed) << lanes << ' ' << bits << ' ' << confidence << ' ' << s;
        }
      }
    }
  }
}

TEST(EstimateSimilarity, SimulatedCoverage) {
  Rng rng(1);
  constexpr uint32_t lanes = 128;
  constexpr int trials = 20000;
  int covered = 0;
  for (int i = 0; i < trials; ++i) {
    const double s = rng.uniform();
    uint32_t equal = 0;
    for (uint32_t lane = 0; lane < lanes; ++lane) equal += rng.uniform() < share_of_equal(s, 8);
    const Estimate estimate = estimate_similarity(equal, lanes, 8, 0.95);
    covered += estimate.lower <= s && s <= estimate.upper;
  }
  EXPECT_GE(covered, 0.95 * trials);
  EXPECT_LE(covered, 0.99 * trials);  // and the bounds are not idle
}

TEST(EstimateSimilarity, IsOrderedAndGrowsWithTheCount) {
  for (const uint32_t lanes : {1u, 16u, 1024u}) {
    Estimate before = estimate_similarity(0, lanes, 8, 0.99);
    EXPECT_EQ(before.lower, 0.0);
    EXPECT_EQ(before.value, 0.0);
    for (uint32_t x = 0; x <= lanes; ++x) {
      const Estimate estimate = estimate_similarity(x, lanes, 8, 0.99);
      EXPECT_LE(estimate.lower, estimate.value);
      EXPECT_LE(estimate.value, estimate.upper);
      EXPECT_GE(estimate.lower, before.lower);
      EXPECT_GE(estimate.value, before.value);
      EXPECT_GE(estimate.upper, before.upper);
      before = estimate;
    }
    EXPECT_EQ(before.value, 1.0);
    EXPECT_EQ(before.upper, 1.0);
  }
}

// Brown, Cai and DasGupta's rule of three: no success in n trials bounds p by 1 - a^(1/n).
TEST(EstimateSimilarity, KnownBounds) {
  const Estimate none = estimate_similarity(0, 100, 16, 0.90);
  const double chance = std::ldexp(1.0, -16);
  EXPECT_NEAR(none.upper, (1.0 - std::pow(0.05, 0.01) - chance) / (1.0 - chance), 1e-9);
  const Estimate half = estimate_similarity(64, 128, 16, 0.95);
  EXPECT_NEAR(half.lower, 0.4103, 0.001);
  EXPECT_NEAR(half.upper, 0.5897, 0.001);
}

TEST(ShareBounds, WithoutTrialsNothingIsKnown) {
  const Estimate nothing = share_bounds(0, 0, 0.99);
  EXPECT_EQ(nothing.lower, 0.0);
  EXPECT_EQ(nothing.value, 0.0);
  EXPECT_EQ(nothing.upper, 1.0);
}

TEST(ShareBounds, KnownSharesHaveNoDoubt) {
  const Estimate known = known_share(3, 4);
  EXPECT_EQ(known.lower, 0.75);
  EXPECT_EQ(known.value, 0.75);
  EXPECT_EQ(known.upper, 0.75);
  EXPECT_EQ(known_share(0, 0).upper, 0.0);
}

TEST(LeastEqual, IsTheLargestBoundOfThatRisk) {
  for (const uint32_t lanes : {16u, 80u, 128u, 512u}) {
    for (const uint32_t bits : {1u, 8u, 16u}) {
      for (const double s : {0.0, 0.05, 0.2, 0.5, 0.9, 0.999}) {
        const std::vector<double> chances = distribution(lanes, share_of_equal(s, bits));
        for (const double miss : {0.0, 1e-6, 1e-3, 0.05, 0.5}) {
          const uint32_t bound = min_equal(s, lanes, bits, miss);
          ASSERT_LE(bound, lanes);
          double below = 0.0;
          for (uint32_t x = 0; x < bound; ++x) below += chances[x];
          EXPECT_LE(below, miss + 1e-12);
          if (bound < lanes) {
            EXPECT_GT(below + chances[bound], miss - 1e-12);
          }
        }
      }
    }
  }
}

TEST(LeastEqual, Extremes) {
  EXPECT_EQ(min_equal(1.0, 128, 8, 0.0), 128u);
  EXPECT_EQ(min_equal(0.0, 128, 16, 1e-3), 0u);
  EXPECT_EQ(min_equal(0.5, 128, 8, 0.0), 0u);
}

TEST(LeastEqual, FallsWithTheRiskAndRisesWithTheSimilarity) {
  uint32_t before = 0;
  for (double s = 0.0; s <= 1.0; s += 0.01) {
    const uint32_t bound = min_equal(s, 128, 8, 1e-3);
    EXPECT_GE(bound, before);
    EXPECT_LE(bound, min_equal(s, 128, 8, 1e-2));
    before = bound;
  }
}

}  // namespace
}  // namespace kith::sketch
