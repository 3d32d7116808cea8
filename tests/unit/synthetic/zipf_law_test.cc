#include "synthetic/zipf_law.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace kith::synthetic {
namespace {

TEST(ZipfLaw, OneRankIsAlwaysTaken) {
  const ZipfLaw law(1, 1, 0);
  EXPECT_EQ(law.rank(0), 0u);
  EXPECT_EQ(law.rank(UINT64_MAX), 0u);
  EXPECT_DOUBLE_EQ(law.share(0), 1.0);
}

TEST(ZipfLaw, RanksCoverTheRangeInTheOrderOfTheBits) {
  for (const double exponent : {0.0, 0.7, 1.0, 1.5}) {
    const ZipfLaw law(1'000'000, exponent, 3);
    EXPECT_EQ(law.rank(0), 0u);
    EXPECT_EQ(law.rank(UINT64_MAX), 999'999u);
    uint32_t last = 0;
    for (uint64_t i = 0; i < 100'000; ++i) {
      const uint32_t rank = law.rank(i * (UINT64_MAX / 100'000));
      ASSERT_GE(rank, last);
      last = rank;
    }
  }
}

TEST(ZipfLaw, SharesFollowTheFormulaAndAddUpToOne) {
  for (const double exponent : {0.7, 1.0, 1.3}) {
    const ZipfLaw law(5000, exponent, 10);
    double sum = 0;
    for (uint32_t rank = 0; rank < law.size(); ++rank) sum += law.share(rank);
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_NEAR(law.share(20) / law.share(200), std::pow(211.0 / 31.0, exponent), 0.01);
  }
}

TEST(ZipfLaw, DrawsFollowTheShares) {
  constexpr uint32_t draws = 1'000'000;
  const ZipfLaw law(100'000, 1.1, 2);
  std::vector<uint32_t> met(law.size());
  Rng rng(5);
  for (uint32_t i = 0; i < draws; ++i) ++met[law.rank(rng())];
  for (const uint32_t rank : {0u, 1u, 2u, 5u, 10u, 30u}) {
    const double expected = draws * law.share(rank);
    EXPECT_NEAR(met[rank], expected, 5 * std::sqrt(expected) + 0.02 * expected) << rank;
  }
}

}  // namespace
}  // namespace kith::synthetic
