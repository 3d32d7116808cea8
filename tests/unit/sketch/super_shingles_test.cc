#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "random_sets.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"

namespace kith::sketch {
namespace {

using Keys = std::vector<uint64_t>;
using Values = std::vector<uint16_t>;

Keys keys_of(const Values& signature, uint32_t s, size_t count, uint32_t first = 0) {
  Keys keys(count);
  super_shingles(signature, s, first, keys);
  return keys;
}

Values ascending(size_t size) {
  Values values(size);
  std::iota(values.begin(), values.end(), uint16_t{1});
  return values;
}

TEST(SuperShingles, TellTheirValuesAndNothingElse) {
  const Values signature = ascending(112);
  for (const uint32_t s : {1u, 3u, 4u, 5u, 8u, 14u, 16u}) {
    const size_t count = 112 / s;
    const Keys before = keys_of(signature, s, count);
    for (size_t changed = 0; changed < signature.size(); ++changed) {
      Values other = signature;
      other[changed] = static_cast<uint16_t>(other[changed] ^ 0x8000);
      const Keys after = keys_of(other, s, count);
      for (size_t g = 0; g < count; ++g) EXPECT_EQ(before[g] == after[g], changed / s != g);
    }
  }
}

TEST(SuperShingles, OfEqualValuesAtOtherPlacesDiffer) {
  const Values zeros(128, 0);
  const Keys keys = keys_of(zeros, 4, 32);
  EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), 32u);
  EXPECT_NE(keys_of({1, 2}, 2, 1), keys_of({2, 1}, 2, 1));
}

TEST(SuperShingles, SomeOfThemAreThoseOfAll) {
  const Values signature = ascending(60);
  const Keys all = keys_of(signature, 5, 12);
  const Keys some = keys_of(signature, 5, 4, 7);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 7));
}

TEST(SuperShingles, ValuesAreFixedForEver) {
  const Keys keys = keys_of(ascending(84), 14, 6);
  EXPECT_EQ(hash64(std::as_bytes(std::span(keys))), 12156067077476072815u);
}

TEST(SuperShingles, Probabilities) {
  EXPECT_NEAR(super_shingle_probability(0.9, 14), std::pow(0.9, 14), 1e-5);
  EXPECT_EQ(super_shingle_probability(1.0, 14), 1.0);
  EXPECT_EQ(shared_super_shingles_probability(0.5, 14, 6, 0), 1.0);
  EXPECT_EQ(shared_super_shingles_probability(0.5, 14, 6, 7), 0.0);
  EXPECT_EQ(shared_super_shingles_probability(1.0, 14, 6, 6), 1.0);
  // By enumeration of the 2^6 cases.
  const double p = super_shingle_probability(0.95, 14);
  for (uint32_t least = 1; least <= 6; ++least) {
    double sum = 0.0;
    for (unsigned set = 0; set < 64; ++set) {
      const int shared = std::popcount(set);
      if (shared < static_cast<int>(least)) continue;
      sum += std::pow(p, shared) * std::pow(1.0 - p, 6 - shared);
    }
    EXPECT_NEAR(shared_super_shingles_probability(0.95, 14, 6, least), sum, 1e-12);
  }
}

// Broder (2000): 6 super-shingles of 14 minima, of which 2 must be equal, let nearly all pairs
// pass that are almost equal, and hardly any other.
TEST(SuperShingles, TwoOfSixOf14AreAFilter) {
  EXPECT_GT(shared_super_shingles_probability(0.98, 14, 6, 2), 0.99);
  EXPECT_NEAR(shared_super_shingles_probability(0.95, 14, 6, 2), 0.879, 0.001);
  EXPECT_LT(shared_super_shingles_probability(0.80, 14, 6, 2), 0.03);
}

TEST(SuperShingles, SimulatedShareAndEstimate) {
  Rng rng(1);
  constexpr uint32_t s = 4;
  constexpr uint32_t groups = 32;
  constexpr int trials = 2000;
  for (const double r : {0.5, 0.8}) {
    double equal_sum = 0.0;
    double truth = 0.0;
    int outside = 0;
    for (int i = 0; i < trials; ++i) {
      const auto [a, b] = test::resembling_sets(rng, 400, r);
      truth = overlap(a, b).resemblance();
      const SetSketcher hasher({.seed = static_cast<uint64_t>(i % 20)});
      Values x(128);
      Values y(128);
      hasher.sketch(a, x);
      hasher.sketch(b, y);
      const Keys kx = keys_of(x, s, groups);
      const Keys ky = keys_of(y, s, groups);
      const auto equal = std::inner_product(kx.begin(), kx.end(), ky.begin(), 0u, std::plus<>(),
                                            std::equal_to<>());
      equal_sum += equal;
      const Estimate found = estimate_from_super_shingles(equal, groups, s, 0.9);
      outside += truth < found.lower || truth > found.upper;
    }
    const double p = super_shingle_probability(truth, s);
    EXPECT_NEAR(equal_sum / trials / groups, p, 5.0 * std::sqrt(p * (1.0 - p) / groups / trials));
    EXPECT_LE(outside, 0.1 * trials);
  }
}

TEST(SuperShingles, EstimatesAtTheEnds) {
  EXPECT_EQ(estimate_from_super_shingles(6, 6, 14, 0.9).value, 1.0);
  EXPECT_EQ(estimate_from_super_shingles(6, 6, 14, 0.9).upper, 1.0);
  EXPECT_EQ(estimate_from_super_shingles(0, 6, 14, 0.9).value, 0.0);
  EXPECT_EQ(estimate_from_super_shingles(0, 6, 14, 0.9).lower, 0.0);
  EXPECT_GT(estimate_from_super_shingles(0, 6, 14, 0.9).upper, 0.9);
}

}  // namespace
}  // namespace kith::sketch
