// What docs/algorithms/near-duplicates.md says of similarities and hash families, shown on sets.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "random_sets.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"

namespace kith::sketch {
namespace {

using test::Hashes;
using Similarity = double (*)(const SetOverlap&);

double resemblance(const SetOverlap& o) {
  return o.resemblance();
}
double dice(const SetOverlap& o) {
  return 2.0 * static_cast<double>(o.common) / static_cast<double>(o.a + o.b);
}
double overlap_coefficient(const SetOverlap& o) {
  return static_cast<double>(o.common) / static_cast<double>(std::min(o.a, o.b));
}

// How far the triangle inequality of 1 - sim is from holding: at most 0 where it holds.
double violation(Similarity sim, const Hashes& a, const Hashes& b, const Hashes& c) {
  const auto distance = [&](const Hashes& x, const Hashes& y) { return 1.0 - sim(overlap(x, y)); };
  return distance(a, b) - distance(a, c) - distance(c, b);
}

std::vector<Hashes> all_subsets(uint64_t universe) {
  std::vector<Hashes> sets;
  for (uint64_t bits = 1; bits < uint64_t{1} << universe; ++bits) {
    Hashes set;
    for (uint64_t x = 0; x < universe; ++x) {
      if ((bits >> x & 1) != 0) set.push_back(x);
    }
    sets.push_back(set);
  }
  return sets;
}

double worst_violation(Similarity sim, const std::vector<Hashes>& sets) {
  double worst = -1.0;
  for (const Hashes& a : sets) {
    for (const Hashes& b : sets) {
      for (const Hashes& c : sets) worst = std::max(worst, violation(sim, a, b, c));
    }
  }
  return worst;
}

constexpr double rounding = 1e-12;

// Charikar (2002), lemma 1: where Pr[h(x) = h(y)] = sim(x, y) for some family of hash functions,
// 1 - sim is a metric. Resemblance has such a family, and indeed:
TEST(Theory, OneMinusResemblanceIsAMetric) {
  EXPECT_LE(worst_violation(resemblance, all_subsets(5)), rounding);
  Rng rng(1);
  std::vector<Hashes> sets;
  for (int i = 0; i < 40; ++i) {
    std::set<uint64_t> set = {rng.below(60)};
    const uint64_t size = rng.below(50);
    for (uint64_t j = 0; j < size; ++j) set.insert(rng.below(60));
    sets.emplace_back(set.begin(), set.end());
  }
  EXPECT_LE(worst_violation(resemblance, sets), rounding);
}

// {1} and {2} have nothing in common, but each is close to {1, 2}: no family of hash functions
// can have Dice's coefficient or the overlap coefficient as its chance of a collision.
TEST(Theory, DiceAndOverlapHaveNoLsh) {
  const Hashes one = {1};
  const Hashes two = {2};
  const Hashes both = {1, 2};
  EXPECT_NEAR(violation(dice, one, two, both), 1.0 / 3.0, rounding);
  EXPECT_NEAR(violation(overlap_coefficient, one, two, both), 1.0, rounding);
  EXPECT_NEAR(worst_violation(dice, all_subsets(5)), 1.0 / 3.0, rounding);
  EXPECT_NEAR(worst_violation(overlap_coefficient, all_subsets(5)), 1.0, rounding);
}

// Charikar (2002), lemma 2: one bit of every hash value gives a family for (1 + sim) / 2.
TEST(Theory, OneBitGivesHalfOfOnePlusSimilarity) {
  Rng rng(2);
  constexpr int trials = 500;
  constexpr uint32_t lanes = 128;
  for (const double requested : {0.0, 0.3, 0.7, 1.0}) {
    double equal = 0.0;
    double r = 0.0;
    for (int i = 0; i < trials; ++i) {
      const auto [a, b] = test::resembling_sets(rng, 200, requested);
      r = overlap(a, b).resemblance();
      const SetSketcher hasher({.lanes = lanes, .seed = static_cast<uint64_t>(i % 20)});
      std::array<uint16_t, lanes> x;
      std::array<uint16_t, lanes> y;
      hasher.sketch(a, x);
      hasher.sketch(b, y);
      for (uint32_t lane = 0; lane < lanes; ++lane) equal += ((x[lane] ^ y[lane]) & 1) == 0;
    }
    const double p = (1.0 + r) / 2.0;
    constexpr double samples = double{trials} * lanes;
    EXPECT_NEAR(equal / samples, p, 5.0 * std::sqrt(p * (1.0 - p) / samples));
  }
}

// Approximately min-wise families: the chance that two sets share their minimum, less their
// resemblance, which is 1/2 here.
class LinearPermutations : public testing::Test {
 protected:
  using Premix = uint64_t (*)(uint64_t);
  static constexpr int trials = 40000;
  static constexpr double standard_error = 0.5 / 200.0;  // sqrt(trials) = 200

  static uint64_t raw(uint64_t id) { return id; }

  // a x + b mod 2^32 and mod 2^61 - 1, of premixed or raw ids.
  static double bias_32(Premix premix, const Hashes& x, const Hashes& y, uint64_t seed) {
    Rng rng(seed);
    int equal = 0;
    for (int i = 0; i < trials; ++i) {
      const auto a = static_cast<uint32_t>(rng()) | 1;
      const auto b = static_cast<uint32_t>(rng());
      const auto hash = [&](uint64_t id) {
        return uint64_t{a * static_cast<uint32_t>(premix(id)) + b};
      };
      equal += least(x, hash) == least(y, hash);
    }
    return static_cast<double>(equal) / trials - 0.5;
  }
  static double bias_61(Premix premix, const Hashes& x, const Hashes& y, uint64_t seed) {
    __extension__ using Wide = unsigned __int128;
    constexpr uint64_t prime = (uint64_t{1} << 61) - 1;
    Rng rng(seed);
    int equal = 0;
    for (int i = 0; i < trials; ++i) {
      const uint64_t a = 1 + rng.below(prime - 1);
      const uint64_t b = rng.below(prime);
      const auto hash = [&](uint64_t id) {
        return static_cast<uint64_t>((Wide{a} * (premix(id) % prime) + b) % prime);
      };
      equal += least(x, hash) == least(y, hash);
    }
    return static_cast<double>(equal) / trials - 0.5;
  }

  template <class Hash>
  static uint64_t least(const Hashes& set, const Hash& hash) {
    uint64_t minimum = std::numeric_limits<uint64_t>::max();
    for (const uint64_t id : set) minimum = std::min(minimum, hash(id));
    return minimum;
  }
};

// As bags of words are: the common words are frequent and so have neighbouring ids, the others
// may have any.
TEST_F(LinearPermutations, AreBiasedOnRawIdsOfFrequentWordsAndNotOnPremixedOnes) {
  constexpr uint64_t common = 60;
  Rng rng(3);
  Hashes x;
  Hashes y;
  for (uint64_t id = 0; id < common; ++id) {
    x.push_back(id);
    y.push_back(id);
  }
  for (uint64_t i = 0; i < common / 2; ++i) {
    x.push_back(1000 + 2 * rng.below(1 << 20));
    y.push_back(1001 + 2 * rng.below(1 << 20));
  }
  for (const double bias : {bias_32(raw, x, y, 4), bias_61(raw, x, y, 5)}) {
    EXPECT_GT(bias, 0.01);
    EXPECT_LT(bias, 0.04);
  }
  EXPECT_NEAR(bias_32(mix64, x, y, 6), 0.0, 5.0 * standard_error);
  EXPECT_NEAR(bias_61(mix64, x, y, 7), 0.0, 5.0 * standard_error);
}

// The ends of an interval of ids are minima more often than its middle, which two intervals share.
TEST_F(LinearPermutations, AreBiasedTheOtherWayOnIntervals) {
  Hashes x;
  Hashes y;
  for (uint64_t id = 0; id < 120; ++id) {
    if (id < 90) x.push_back(id);
    if (id >= 30) y.push_back(id);
  }
  EXPECT_LT(bias_32(raw, x, y, 8), -0.05);
  EXPECT_LT(bias_61(raw, x, y, 9), -0.05);
  EXPECT_NEAR(bias_32(mix64, x, y, 10), 0.0, 5.0 * standard_error);
  EXPECT_NEAR(bias_61(mix64, x, y, 11), 0.0, 5.0 * standard_error);
}

}  // namespace
}  // namespace kith::sketch
