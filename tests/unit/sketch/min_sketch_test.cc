#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "random_sets.h"
#include "sketch/set_sketches.h"

namespace kith::sketch {
namespace {

using test::Hashes;

TEST(MinSketch, IsTheFrontOfTheSet) {
  const Hashes set = {2, 3, 5, 7};
  EXPECT_TRUE(std::ranges::equal(min_sketch(set, 2), Hashes{2, 3}));
  EXPECT_TRUE(std::ranges::equal(min_sketch(set, 9), set));
  EXPECT_TRUE(min_sketch({}, 3).empty());
}

// By the definition: MIN_s of the union of the sets, and which of it is in both.
Estimate by_definition(const Hashes& a, const Hashes& b, uint32_t s, double confidence) {
  Hashes all;
  Hashes both;
  std::ranges::set_union(a, b, std::back_inserter(all));
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  if (a.size() < s && b.size() < s) return known_share(both.size(), all.size());
  if (all.size() > s) all.resize(s);
  const auto common =
      std::ranges::count_if(all, [&](uint64_t x) { return std::ranges::binary_search(both, x); });
  return share_bounds(static_cast<uint64_t>(common), all.size(), confidence);
}

RC_GTEST_PROP(MinSketch, EstimatesFromTheSmallestOfTheUnion,
              (std::set<uint16_t> x, std::set<uint16_t> y)) {
  const Hashes a(x.begin(), x.end());
  const Hashes b(y.begin(), y.end());
  const uint32_t s = *rc::gen::inRange(1u, 30u);
  const Estimate found = estimate_resemblance(min_sketch(a, s), min_sketch(b, s), s, 0.9);
  const Estimate expected = by_definition(a, b, s, 0.9);
  RC_ASSERT(found.lower == expected.lower);
  RC_ASSERT(found.value == expected.value);
  RC_ASSERT(found.upper == expected.upper);
}

TEST(MinSketch, WholeSetsAreComparedExactly) {
  const Hashes a = {1, 2, 3};
  const Hashes b = {2, 3, 4, 9};
  const Estimate exact = estimate_resemblance(a, b, 5, 0.99);
  EXPECT_EQ(exact.lower, 0.4);
  EXPECT_EQ(exact.value, 0.4);
  EXPECT_EQ(exact.upper, 0.4);
  EXPECT_EQ(estimate_resemblance({}, {}, 5, 0.99).upper, 0.0);
}

TEST(MinSketch, IsUnbiasedAndItsBoundsHold) {
  Rng rng(1);
  constexpr uint32_t s = 64;
  constexpr int trials = 3000;
  for (const double r : {0.1, 0.5, 0.9}) {
    double sum = 0.0;
    int below = 0;
    int above = 0;
    double truth = 0.0;
    for (int i = 0; i < trials; ++i) {
      const auto [a, b] = test::resembling_sets(rng, 300, r);
      truth = overlap(a, b).resemblance();
      const Estimate found = estimate_resemblance(min_sketch(a, s), min_sketch(b, s), s, 0.9);
      sum += found.value;
      below += truth < found.lower;
      above += truth > found.upper;
    }
    EXPECT_NEAR(sum / trials, truth, 5.0 * std::sqrt(truth * (1.0 - truth) / s / trials));
    EXPECT_LE(below, 0.05 * trials);
    EXPECT_LE(above, 0.05 * trials);
    EXPECT_GT(below + above, 0.005 * trials);  // and the bounds are not idle
  }
}

}  // namespace
}  // namespace kith::sketch
