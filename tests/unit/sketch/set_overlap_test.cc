#include <algorithm>
#include <iterator>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "random_sets.h"
#include "sketch/estimate.h"

namespace kith::sketch {
namespace {

using test::Hashes;

// The slow twin.
uint64_t common_elements(const Hashes& a, const Hashes& b) {
  Hashes common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return common.size();
}

void expect_overlap(const Hashes& a, const Hashes& b) {
  const SetOverlap found = overlap(a, b);
  EXPECT_EQ(found.a, a.size());
  EXPECT_EQ(found.b, b.size());
  EXPECT_EQ(found.common, common_elements(a, b)) << a.size() << ' ' << b.size();
  EXPECT_EQ(overlap(b, a).common, found.common);
}

TEST(Overlap, AgreesWithTheStandardLibrary) {
  Rng rng(1);
  for (const size_t small : {0, 1, 2, 3, 10, 100}) {
    for (const size_t large : {0, 1, 5, 31, 32, 33, 64, 1000, 20000}) {
      for (const double share : {0.0, 0.3, 1.0}) {
        const auto common =
            static_cast<size_t>(share * static_cast<double>(std::min(small, large)));
        const auto [a, b] = test::random_sets(rng, small, large, common);
        expect_overlap(a, b);
      }
    }
  }
}

TEST(Overlap, SetsThatDoNotInterleave) {
  Hashes low(1000);
  Hashes high(1000);
  for (uint64_t i = 0; i < 1000; ++i) {
    low[i] = i;
    high[i] = ~uint64_t{0} - 999 + i;
  }
  expect_overlap(low, high);
  expect_overlap(low, low);
  expect_overlap(high, {~uint64_t{0}});
  expect_overlap(low, {0});
  expect_overlap(low, {500, 999, 1000});
}

RC_GTEST_PROP(Overlap, OfAnySets, (std::set<uint16_t> x, std::set<uint16_t> y)) {
  const Hashes a(x.begin(), x.end());
  const Hashes b(y.begin(), y.end());
  RC_ASSERT(overlap(a, b).common == common_elements(a, b));
}

TEST(SetOverlap, ResemblanceAndContainment) {
  const SetOverlap half = {.a = 10, .b = 20, .common = 10};
  EXPECT_EQ(half.resemblance(), 0.5);
  EXPECT_EQ(half.containment_of_a(), 1.0);
  EXPECT_EQ(half.containment_of_b(), 0.5);
  EXPECT_EQ((SetOverlap{.a = 3, .b = 3, .common = 3}).resemblance(), 1.0);
  EXPECT_EQ((SetOverlap{.a = 2, .b = 2, .common = 1}).resemblance(), 1.0 / 3.0);
}

TEST(SetOverlap, ResemblanceAndContainmentTellEachOther) {
  for (const uint64_t a : {1u, 10u, 1000u}) {
    for (const uint64_t b : {1u, 7u, 5000u}) {
      for (uint64_t common = 0; common <= std::min(a, b); common += 1 + common / 3) {
        const SetOverlap exact = {a, b, common};
        EXPECT_NEAR(containment_at(exact.resemblance(), a, b), exact.containment_of_a(), 1e-12);
        EXPECT_NEAR(resemblance_at(exact.containment_of_a(), a, b), exact.resemblance(), 1e-12);
      }
    }
  }
  // A document in one ten times as long.
  EXPECT_NEAR(resemblance_at(1.0, 100, 1000), 0.1, 1e-12);
  // What cannot be: all of the longer one in the shorter one.
  EXPECT_NEAR(resemblance_at(1.0, 1000, 100), 0.1, 1e-12);
  EXPECT_EQ(containment_at(1.0, 100, 1000), 1.0);
  EXPECT_EQ(containment_at(1.0, 1000, 100), 0.1);
}

TEST(SetOverlap, TheEmptySetResemblesNothing) {
  EXPECT_EQ(overlap({}, {}).resemblance(), 0.0);
  EXPECT_EQ(overlap({}, {}).containment_of_a(), 0.0);
  const Hashes one = {7};
  EXPECT_EQ(overlap({}, one).containment_of_a(), 0.0);
  EXPECT_EQ(overlap({}, one).containment_of_b(), 0.0);
}

}  // namespace
}  // namespace kith::sketch
