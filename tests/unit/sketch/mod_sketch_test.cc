#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "random_sets.h"
#include "sketch/set_sketches.h"

namespace kith::sketch {
namespace {

using test::Hashes;

// By the definition.
Hashes divisible(const Hashes& set, uint32_t level) {
  Hashes values;
  for (const uint64_t x : set) {
    if (x % (uint64_t{1} << level) == 0) values.push_back(x);
  }
  return values;
}

TEST(ModSketch, KeepsTheMostThatStayBelowTheLimit) {
  Rng rng(1);
  for (const size_t size : {0, 1, 99, 100, 101, 1000, 50000}) {
    const Hashes set = test::random_set(rng, size);
    const ModSketch sketch = mod_sketch(set);
    EXPECT_EQ(sketch.values, divisible(set, sketch.level));
    EXPECT_LE(sketch.values.size(), ModSketch::max_values);
    if (sketch.level == 0) {
      EXPECT_LE(size, ModSketch::max_values);
    } else {
      EXPECT_GT(divisible(set, sketch.level - 1).size(), ModSketch::max_values);
    }
  }
}

TEST(ModSketch, UsuallyKeeps50To100Values) {
  Rng rng(2);
  double sum = 0.0;
  constexpr int trials = 300;
  for (int i = 0; i < trials; ++i) {
    const Hashes set = test::random_set(rng, 200 + rng.below(5000));
    const auto kept = static_cast<double>(mod_sketch(set).values.size());
    EXPECT_GT(kept, 25.0);
    sum += kept;
  }
  EXPECT_NEAR(sum / trials, 70.0, 10.0);
}

TEST(ModSketch, SetsThatAreNoHashesEnd) {
  const Hashes zero = {0};
  EXPECT_EQ(mod_sketch(zero).values, zero);
  Hashes high;
  for (uint64_t i = 0; i < 1000; ++i) high.push_back(i << 54);
  const ModSketch sketch = mod_sketch(high);
  EXPECT_EQ(sketch.values, divisible(high, sketch.level));
  EXPECT_LE(sketch.values.size(), ModSketch::max_values);
}

RC_GTEST_PROP(ModSketch, ComparesAtTheHigherLevel, (std::set<uint16_t> x, std::set<uint16_t> y)) {
  const Hashes a(x.begin(), x.end());
  const Hashes b(y.begin(), y.end());
  const auto i = *rc::gen::inRange(0u, 6u);
  const auto j = *rc::gen::inRange(0u, 6u);
  const uint32_t level = std::max(i, j);
  const ModEstimate found = estimate_overlap({i, divisible(a, i)}, {j, divisible(b, j)}, 0.9);
  const SetOverlap expected = overlap(divisible(a, level), divisible(b, level));
  RC_ASSERT(found.resemblance.value == expected.resemblance());
  RC_ASSERT(found.containment_of_a.value == expected.containment_of_a());
  RC_ASSERT(found.containment_of_b.value == expected.containment_of_b());
  if (level == 0) {
    RC_ASSERT(found.resemblance.lower == found.resemblance.upper);
    RC_ASSERT(found.containment_of_a.lower == found.containment_of_a.upper);
  }
}

TEST(ModSketch, AnEmptySampleSaysNothing) {
  const ModEstimate found = estimate_overlap({3, {}}, {0, {}}, 0.9);
  EXPECT_EQ(found.resemblance.lower, 0.0);
  EXPECT_EQ(found.resemblance.upper, 1.0);
  EXPECT_EQ(found.containment_of_b.upper, 1.0);
}

struct Coverage {
  double sum = 0.0;
  double truth = 0.0;
  int below = 0;
  int above = 0;
  void add(const Estimate& found, double exact) {
    sum += found.value;
    truth += exact;
    below += exact < found.lower;
    above += exact > found.upper;
  }
};

void expect_sound(const Coverage& coverage, int trials) {
  EXPECT_NEAR(coverage.sum / trials, coverage.truth / trials, 5.0 * 0.5 / std::sqrt(50.0 * trials));
  EXPECT_LE(coverage.below, 0.05 * trials);
  EXPECT_LE(coverage.above, 0.05 * trials);
}

// A short document in a long one, at different levels.
TEST(ModSketch, IsUnbiasedAndItsBoundsHold) {
  Rng rng(3);
  constexpr int trials = 3000;
  Coverage resemblance;
  Coverage of_a;
  Coverage of_b;
  for (int i = 0; i < trials; ++i) {
    const auto [a, b] = test::random_sets(rng, 400, 1500, 300);
    const SetOverlap exact = overlap(a, b);
    const ModEstimate found = estimate_overlap(mod_sketch(a), mod_sketch(b), 0.9);
    resemblance.add(found.resemblance, exact.resemblance());
    of_a.add(found.containment_of_a, exact.containment_of_a());
    of_b.add(found.containment_of_b, exact.containment_of_b());
  }
  expect_sound(resemblance, trials);
  expect_sound(of_a, trials);
  expect_sound(of_b, trials);
}

}  // namespace
}  // namespace kith::sketch
