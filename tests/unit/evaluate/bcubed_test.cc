#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "evaluate/agreement.h"

namespace kith::evaluate {
namespace {

using Numbers = std::vector<uint32_t>;

LabelSets sets_of(const std::vector<Numbers>& items) {
  LabelSets sets;
  for (const Numbers& labels : items) sets.add(labels);
  return sets;
}

// Amigo et al. 2009, section 5: averages of multiplicity precision and recall over pairs of items,
// each item with itself included.
Bcubed by_definition(const Numbers& clusters, const LabelSets& labels) {
  Bcubed sum{0, 0};
  const size_t n = clusters.size();
  for (size_t i = 0; i < n; ++i) {
    Bcubed own{0, 0};
    size_t together = 0;
    size_t alike = 0;
    for (size_t j = 0; j < n; ++j) {
      const size_t both_clusters = clusters[i] == clusters[j] ? 1 : 0;
      const size_t both_labels = count_common(labels[i], labels[j]);
      const auto common = static_cast<double>(std::min(both_clusters, both_labels));
      if (both_clusters > 0) {
        own.precision += common / static_cast<double>(both_clusters);
        ++together;
      }
      if (both_labels > 0) {
        own.recall += common / static_cast<double>(both_labels);
        ++alike;
      }
    }
    sum.precision += own.precision / static_cast<double>(together);
    sum.recall += own.recall / static_cast<double>(alike);
  }
  return {sum.precision / static_cast<double>(n), sum.recall / static_cast<double>(n)};
}

uint64_t sharing_pairs(const Numbers& clusters, const LabelSets& labels) {
  uint64_t pairs = 0;
  for (size_t i = 0; i < clusters.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (clusters[i] == clusters[j] && labels.share(i, j)) ++pairs;
    }
  }
  return pairs;
}

// Items {a}, {a b} in one cluster and {b} in another. Precision 1, 1, 1. Recall: {a} has 1 and 1 of
// two, {a b} has 1/2 with itself, 1 with {a} and 0 with {b} of three, {b} 1 and 0 of two:
// (1 + 1/2 + 1/2) / 3.
TEST(Bcubed, ByHand) {
  const auto labels = sets_of({{0}, {0, 1}, {1}});
  const Bcubed bcubed = measure_bcubed(Numbers{4, 4, 5}, labels);
  EXPECT_NEAR(bcubed.precision, 1, 1e-15);
  EXPECT_NEAR(bcubed.recall, 2.0 / 3, 1e-15);
  EXPECT_EQ(count_sharing_pairs(labels), 2u);
  EXPECT_EQ(count_sharing_pairs(Numbers{4, 4, 5}, labels), 1u);
}

TEST(Bcubed, NothingToMeasure) {
  EXPECT_DOUBLE_EQ(measure_bcubed({}, LabelSets()).precision, 1);
  EXPECT_DOUBLE_EQ(measure_bcubed({}, LabelSets()).recall, 1);
  EXPECT_EQ(count_sharing_pairs(LabelSets()), 0u);
}

RC_GTEST_PROP(Bcubed, IsTheMeanOfItsDefinition, ()) {
  Rng rng(*rc::gen::arbitrary<uint64_t>());
  const auto items = *rc::gen::inRange<size_t>(1, 60);
  const uint64_t different = 1 + rng.below(8);
  Numbers clusters;
  LabelSets labels;
  for (size_t i = 0; i < items; ++i) {
    clusters.push_back(static_cast<uint32_t>(rng.below(10)));
    Numbers own(1 + rng.below(3));
    for (uint32_t& label : own) label = static_cast<uint32_t>(rng.below(different));
    labels.add(own);
  }
  const Bcubed expected = by_definition(clusters, labels);
  const Bcubed bcubed = measure_bcubed(clusters, labels);
  RC_ASSERT(std::abs(bcubed.precision - expected.precision) < 1e-12);
  RC_ASSERT(std::abs(bcubed.recall - expected.recall) < 1e-12);
  RC_ASSERT(count_sharing_pairs(clusters, labels) == sharing_pairs(clusters, labels));
  RC_ASSERT(count_sharing_pairs(labels) == sharing_pairs(Numbers(items, 0), labels));
}

}  // namespace
}  // namespace kith::evaluate
