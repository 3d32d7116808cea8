#include "support/cluster_quality.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.h"

namespace kith::test {
namespace {

using Labels = std::vector<uint32_t>;

TEST(Quality, EqualPartitionsUnderOtherNames) {
  const Quality quality = measure_quality(Labels{0, 0, 1, 1, 2}, Labels{7, 7, 3, 3, 0});
  EXPECT_EQ(quality.ids, 5u);
  EXPECT_DOUBLE_EQ(quality.adjusted_rand, 1);
  EXPECT_DOUBLE_EQ(quality.normalized_mutual_information, 1);
  EXPECT_DOUBLE_EQ(quality.purity, 1);
  EXPECT_DOUBLE_EQ(quality.pairwise_precision, 1);
  EXPECT_DOUBLE_EQ(quality.pairwise_recall, 1);
}

// Cells: cluster 0 has 2 of topic 0 and 1 of topic 1, cluster 1 has 1 and 2. Pairs: cells
// 1 + 1 = 2, clusters 3 + 3 = 6, topics 6, all 15. By chance 36 / 15 = 2.4; ARI =
// (2 - 2.4) / (6 - 2.4) = -1/9. H = 1 bit each; I = 2/3 + ... = 1 - H(1/3) in bits.
TEST(Quality, ByHand) {
  const Quality quality = measure_quality(Labels{0, 0, 0, 1, 1, 1}, Labels{0, 0, 1, 0, 1, 1});
  EXPECT_NEAR(quality.adjusted_rand, -1.0 / 9, 1e-12);
  const double entropy_third = -(1.0 / 3) * std::log2(1.0 / 3) - (2.0 / 3) * std::log2(2.0 / 3);
  EXPECT_NEAR(quality.normalized_mutual_information, 1 - entropy_third, 1e-12);
  EXPECT_NEAR(quality.purity, 4.0 / 6, 1e-12);
  EXPECT_NEAR(quality.pairwise_precision, 2.0 / 6, 1e-12);
  EXPECT_NEAR(quality.pairwise_recall, 2.0 / 6, 1e-12);
}

// Clusters {a a b} {b} {b}: pairs in cells 1, clusters 3, topics 1 + 3 = 4, all 10; by chance
// 1.2; ARI = (1 - 1.2) / (3.5 - 1.2) = -2/23.
TEST(Quality, PrecisionAndRecallDiffer) {
  const Quality quality = measure_quality(Labels{5, 5, 5, 6, 7}, Labels{1, 1, 2, 2, 2});
  EXPECT_NEAR(quality.adjusted_rand, -2.0 / 23, 1e-12);
  EXPECT_NEAR(quality.purity, 4.0 / 5, 1e-12);
  EXPECT_NEAR(quality.pairwise_precision, 1.0 / 3, 1e-12);
  EXPECT_NEAR(quality.pairwise_recall, 1.0 / 4, 1e-12);
}

TEST(Quality, AllInOneAndAllAlone) {
  const Labels one(4, 0);
  const Labels alone{0, 1, 2, 3};
  const Quality merged = measure_quality(one, alone);
  EXPECT_DOUBLE_EQ(merged.adjusted_rand, 0);
  EXPECT_NEAR(merged.normalized_mutual_information, 0, 1e-12);
  EXPECT_DOUBLE_EQ(merged.purity, 0.25);
  EXPECT_DOUBLE_EQ(merged.pairwise_precision, 0);
  const Quality split = measure_quality(alone, one);
  EXPECT_DOUBLE_EQ(split.purity, 1);
  EXPECT_DOUBLE_EQ(split.pairwise_recall, 0);
  EXPECT_DOUBLE_EQ(measure_quality(one, one).adjusted_rand, 1);
  EXPECT_DOUBLE_EQ(measure_quality(one, one).normalized_mutual_information, 1);
  EXPECT_DOUBLE_EQ(measure_quality(alone, alone).adjusted_rand, 1);
}

TEST(Quality, LeavesOutWhatHasNoLabel) {
  const Quality quality =
      measure_quality(Labels{0, 0, no_label, 1, UINT32_MAX - 1}, Labels{4, no_label, 4, 5, 6});
  EXPECT_EQ(quality.ids, 3u);
  EXPECT_DOUBLE_EQ(quality.adjusted_rand, 1);
}

TEST(Quality, NothingToCompare) {
  EXPECT_EQ(measure_quality({}, {}).ids, 0u);
  EXPECT_DOUBLE_EQ(measure_quality({}, {}).purity, 1);
  EXPECT_DOUBLE_EQ(measure_quality(Labels{3}, Labels{4}).adjusted_rand, 1);
  EXPECT_DOUBLE_EQ(measure_quality(Labels{3}, Labels{no_label}).adjusted_rand, 1);
}

TEST(Quality, RandomLabelsAgreeByChanceOnly) {
  Rng rng(3);
  Labels clusters;
  Labels topics;
  for (int i = 0; i < 20000; ++i) {
    clusters.push_back(static_cast<uint32_t>(rng.below(10)));
    topics.push_back(static_cast<uint32_t>(rng.below(7)));
  }
  const Quality quality = measure_quality(clusters, topics);
  EXPECT_NEAR(quality.adjusted_rand, 0, 0.002);
  EXPECT_NEAR(quality.pairwise_precision, 1.0 / 7, 0.005);
  EXPECT_NEAR(quality.pairwise_recall, 1.0 / 10, 0.005);
}

}  // namespace
}  // namespace kith::test
