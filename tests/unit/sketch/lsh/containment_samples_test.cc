#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/lsh/duplicate_tables.h"

namespace kith::sketch {
namespace {

// P(Bin(n, p) >= t), by its definition.
double tail(uint32_t n, double p, uint32_t t) {
  double sum = 0;
  for (uint32_t x = t; x <= n; ++x) {
    const double ways = std::lgamma(n + 1.0) - std::lgamma(x + 1.0) - std::lgamma(n - x + 1.0);
    const double log_miss = x == n ? 0 : (n - x) * std::log1p(-p);
    sum += std::exp(ways + x * std::log(p) + log_miss);
  }
  return sum;
}

TEST(ContainmentSamples, LeastCommonIsTheQuantile) {
  for (const double similarity : {0.1, 0.5, 0.8, 0.99}) {
    for (const double recall : {0.5, 0.9, 0.999}) {
      const ContainmentSamples sampling(similarity, recall);
      for (uint32_t n = 1; n <= 6 * sampling.min_samples(); n += 7) {
        const uint32_t t = sampling.min_common(n, 1);
        ASSERT_GE(t, 1u);
        ASSERT_LE(t, n);
        EXPECT_TRUE(t == 1 || tail(n, similarity, t) >= recall - 1e-9) << n;
        EXPECT_TRUE(t == n || tail(n, similarity, t + 1) < recall + 1e-9) << n;
      }
    }
  }
}

TEST(ContainmentSamples, OfWholeSetsTheShareIsExact) {
  for (const double similarity : {0.1, 0.3, 0.55, 0.8, 0.9, 1.0}) {
    const ContainmentSamples sampling(similarity, 0.99);
    for (uint32_t n = 1; n < 300; ++n) {
      uint32_t expected = 0;
      while (static_cast<double>(expected) / n < similarity) ++expected;
      EXPECT_EQ(sampling.min_common(n, 0), expected) << similarity << " " << n;
    }
  }
}

TEST(ContainmentSamples, LeavesAsManyAsItSays) {
  const ContainmentSamples sampling(0.8, 0.99);
  EXPECT_EQ(sampling.min_samples(), 32u);
  EXPECT_EQ(sampling.level(1), 0u);
  EXPECT_EQ(sampling.level(63), 0u);
  EXPECT_EQ(sampling.level(64), 1u);
  EXPECT_EQ(sampling.level(127), 1u);
  EXPECT_EQ(sampling.level(128), 2u);
  Rng rng(1);
  std::vector<uint64_t> samples;
  for (const size_t size : {64u, 1000u, 100000u}) {
    std::vector<uint64_t> set(size);
    double sum = 0;
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
      for (uint64_t& element : set) element = rng();
      const uint32_t level = sampling.level(size);
      ContainmentSamples::sample(set, level, samples);
      for (const uint64_t sample : samples) EXPECT_EQ(sample % (uint64_t{1} << level), 0u);
      sum += static_cast<double>(samples.size());
    }
    EXPECT_GT(sum / rounds, 28) << size;
    EXPECT_LT(sum / rounds, 70) << size;
  }
}

// A low containment needs more samples, or not even one would be common.
TEST(ContainmentSamples, TakesMoreForLowContainments) {
  const ContainmentSamples sampling(0.05, 0.99);
  EXPECT_GE(tail(sampling.min_samples(), 0.05, 1), 0.99);
  EXPECT_GT(sampling.min_samples(), 128u);
}

}  // namespace
}  // namespace kith::sketch
