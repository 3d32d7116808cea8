#include "sketch/simhash.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/hash.h"
#include "base/random.h"
#include "simd_levels.h"

namespace kith::sketch {
namespace {

// The definition, word by word.
uint64_t by_definition(const std::vector<WeightedFeature>& features) {
  const auto mixed = [](const WeightedFeature& of) { return mix64(of.hash + 0x9e3779b97f4a7c15u); };
  uint64_t least = UINT64_MAX;
  bool empty = true;
  for (const WeightedFeature& feature : features) {
    if (feature.weight == 0) continue;
    least = std::min(least, mixed(feature));
    empty = false;
  }
  if (empty) return 0;
  uint64_t fingerprint = 0;
  for (uint32_t bit = 0; bit < 64; ++bit) {
    int64_t sum = 0;
    for (const WeightedFeature& feature : features) {
      const int64_t weight = feature.weight;
      sum += (mixed(feature) >> bit & 1) != 0 ? weight : -weight;
    }
    const bool set = sum == 0 ? (mix64(least) >> bit & 1) != 0 : sum > 0;
    fingerprint |= uint64_t{set} << bit;
  }
  return fingerprint;
}

std::vector<WeightedFeature> random_features(size_t n, uint64_t max_weight, Rng& rng) {
  std::vector<WeightedFeature> features(n);
  for (WeightedFeature& feature : features) {
    feature = {rng(), static_cast<uint32_t>(rng.below(max_weight + 1))};
  }
  return features;
}

TEST(Simhash, IsTheDefinitionAtEveryLevel) {
  Rng rng(1);
  for (const size_t n : {0u, 1u, 2u, 3u, 4u, 10u, 100u, 1000u}) {
    for (const uint64_t max_weight : {uint64_t{1}, uint64_t{3}, uint64_t{UINT32_MAX}}) {
      for (int i = 0; i < 20; ++i) {
        const std::vector<WeightedFeature> features = random_features(n, max_weight, rng);
        const uint64_t expected = by_definition(features);
        for (const SimdLevel level : test::supported_levels())
          EXPECT_EQ(simhash(features, level), expected);
      }
    }
  }
}

RC_GTEST_PROP(Simhash, OrderAndGroupingDoNotMatter, (std::vector<uint16_t> hashes)) {
  std::vector<WeightedFeature> one_by_one;
  for (const uint16_t hash : hashes) one_by_one.push_back({hash, 1});
  std::vector<WeightedFeature> grouped = one_by_one;
  std::ranges::sort(grouped, {}, &WeightedFeature::hash);
  for (size_t i = 0; i + 1 < grouped.size(); ++i) {
    if (grouped[i].hash != grouped[i + 1].hash) continue;
    grouped[i + 1].weight += grouped[i].weight;
    grouped[i].weight = 0;
  }
  RC_ASSERT(simhash(one_by_one) == simhash(grouped));
}

TEST(Simhash, NothingIsZeroAndOneFeatureIsItsMixedHash) {
  EXPECT_EQ(simhash({}), 0u);
  EXPECT_EQ(simhash(std::vector<WeightedFeature>{{1, 0}, {2, 0}}), 0u);
  const std::vector<WeightedFeature> one = {{0, 3}};
  EXPECT_EQ(simhash(one), mix64(0x9e3779b97f4a7c15u));
  EXPECT_EQ(simhash(std::vector<WeightedFeature>{{0, UINT32_MAX}}), simhash(one));
}

// Fingerprints stand in files.
TEST(Simhash, ValuesAreFixed) {
  const std::vector<WeightedFeature> features = {{1, 1}, {2, 2}, {3, 3}, {4, 4}};
  EXPECT_EQ(simhash(features), by_definition(features));
  EXPECT_EQ(simhash(features), 2259458972124942026u);
}

// Small ids as features, two each: a bit ties half of the time, and still strangers agree in half
// of the bits.
TEST(Simhash, StrangersOfFewFeaturesAgreeInHalfTheBits) {
  for (const uint64_t count : {1u, 2u, 4u}) {
    double distance = 0;
    constexpr uint64_t sets = 4000;
    uint64_t last = 0;
    for (uint64_t set = 0; set < sets; ++set) {
      std::vector<WeightedFeature> features;
      for (uint64_t i = 0; i < count; ++i) features.push_back({set * count + i, 1});
      const uint64_t now = simhash(features);
      if (set > 0) distance += hamming_distance(last, now);
      last = now;
    }
    EXPECT_NEAR(distance / (sets - 1), 32.0, 0.4) << count;
  }
}

// Charikar 2002, section 3: a bit differs with the chance angle / pi.
TEST(Simhash, DistanceIsTheAngle) {
  Rng rng(2);
  constexpr size_t shared_steps = 5;
  constexpr size_t features = 200;
  for (size_t step = 0; step <= shared_steps; ++step) {
    const size_t shared = features * step / shared_steps;
    double distance = 0;
    constexpr int trials = 400;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<WeightedFeature> a = random_features(features, 0, rng);
      for (WeightedFeature& feature : a) feature.weight = 1;
      std::vector<WeightedFeature> b = a;
      for (size_t i = shared; i < features; ++i) b[i].hash = rng();
      distance += hamming_distance(simhash(a), simhash(b));
    }
    const double cosine = static_cast<double>(shared) / features;
    EXPECT_NEAR(distance / trials, 64 * std::acos(cosine) / std::numbers::pi, 0.8) << shared;
  }
}

TEST(HammingDistance, CountsBits) {
  EXPECT_EQ(hamming_distance(5, 5), 0u);
  EXPECT_EQ(hamming_distance(0, ~uint64_t{0}), 64u);
  EXPECT_EQ(hamming_distance(1, uint64_t{1} << 63), 2u);
}

TEST(EstimateAngle, IsUnbiasedAndItsBoundsHold) {
  constexpr double pi = std::numbers::pi;
  EXPECT_EQ(estimate_angle(0, 0.95).lower, 0.0);
  EXPECT_EQ(estimate_angle(64, 0.95).upper, pi);
  EXPECT_NEAR(estimate_angle(3, 0.95).lower, 0.031, 5e-4);
  EXPECT_NEAR(estimate_angle(3, 0.95).upper, 0.411, 5e-4);
  for (const double confidence : {0.5, 0.95}) {
    for (double share = 0.0; share <= 0.5; share += 1.0 / 32) {
      double mean = 0;
      double below = 0;
      double above = 0;
      for (uint32_t d = 0; d <= 64; ++d) {
        const double chance = share == 0.0 ? (d == 0 ? 1.0 : 0.0)
                                           : std::exp(std::lgamma(65.0) - std::lgamma(d + 1.0) -
                                                      std::lgamma(65.0 - d) + d * std::log(share) +
                                                      (64.0 - d) * std::log1p(-share));
        const Estimate angle = estimate_angle(d, confidence);
        mean += chance * angle.value;
        below += pi * share < angle.lower ? chance : 0.0;
        above += pi * share > angle.upper ? chance : 0.0;
      }
      EXPECT_NEAR(mean, pi * share, 1e-9);
      EXPECT_LE(below, (1 - confidence) / 2 + 1e-12);
      EXPECT_LE(above, (1 - confidence) / 2 + 1e-12);
    }
  }
}

TEST(EstimateCosine, IsThatOfTheAngle) {
  EXPECT_EQ(estimate_cosine(0, 0.9).value, 1.0);
  EXPECT_EQ(estimate_cosine(0, 0.9).upper, 1.0);
  EXPECT_LT(estimate_cosine(0, 0.9).lower, 1.0);
  EXPECT_NEAR(estimate_cosine(32, 0.9).value, 0.0, 1e-12);
  EXPECT_EQ(estimate_cosine(50, 0.9).value, 0.0);
  for (uint32_t d = 0; d <= 64; ++d) {
    const Estimate cosine = estimate_cosine(d, 0.99);
    EXPECT_LE(cosine.lower, cosine.value);
    EXPECT_LE(cosine.value, cosine.upper);
  }
  EXPECT_NEAR(estimate_cosine(16, 0.9).value, std::sqrt(0.5), 1e-12);
}

}  // namespace
}  // namespace kith::sketch
