#include <cmath>

#include <gtest/gtest.h>

#include "evaluate/brute_force.h"

namespace kith::evaluate {
namespace {

TEST(SimilarityHistogram, EveryBinHasTheSimilarityOfItsSums) {
  for (uint32_t sum = 256; sum <= sketch::bag_total; sum += 1 + sum / 200) {
    const double bin = SimilarityHistogram::similarity_at(SimilarityHistogram::bin_of(sum));
    EXPECT_NEAR(bin, sketch::similarity_of(sum), 0.065 * sketch::similarity_of(sum)) << sum;
  }
  EXPECT_EQ(SimilarityHistogram::similarity_at(SimilarityHistogram::bin_of(0)), 0);
  EXPECT_EQ(SimilarityHistogram::similarity_at(SimilarityHistogram::bin_of(sketch::bag_total)), 1);
}

TEST(SimilarityHistogram, BinsAscendAndAreAllInUse) {
  uint32_t before = 0;
  for (uint32_t sum = 0; sum <= sketch::bag_total; ++sum) {
    const uint32_t bin = SimilarityHistogram::bin_of(sum);
    ASSERT_TRUE(bin == before || bin == before + 1) << sum;
    before = bin;
  }
  EXPECT_EQ(before, SimilarityHistogram::bins - 1);
}

// Sums as a crawl has them: the rarer the larger.
TEST(SimilarityHistogram, KeepsThePowersOfTheSimilarities) {
  SimilarityHistogram histogram;
  double exact[9] = {};
  for (uint32_t i = 1; i <= 100'000; ++i) {
    const auto sum = static_cast<uint32_t>(sketch::bag_total / std::pow(i, 0.7));
    histogram.add(sum);
    for (int k = 1; k <= 8; ++k) exact[k] += std::pow(sketch::similarity_of(sum), k);
  }
  for (int k = 1; k <= 8; ++k) {
    double binned = 0;
    for (uint32_t bin = 0; bin < SimilarityHistogram::bins; ++bin) {
      binned += static_cast<double>(histogram.count(bin)) *
                std::pow(SimilarityHistogram::similarity_at(bin), k);
    }
    EXPECT_NEAR(binned, exact[k], 0.02 * exact[k]) << k;
  }
}

}  // namespace
}  // namespace kith::evaluate
