#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/leader/rows.h"
#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

using cluster::test::Words;

void expect_twin(const kith::test::OwnedBags& bags) {
  BagMatcher matcher;
  for (size_t a = 0; a < bags.size(); ++a) {
    matcher.set(bags[a]);
    for (size_t b = 0; b < bags.size(); ++b) {
      ASSERT_EQ(matcher.sum_of_minima(bags[b]), sketch::sum_of_minima(bags[a], bags[b]))
          << a << " " << b;
    }
  }
}

TEST(BagMatcher, IsTheMergeOnBagsOfManySizes) {
  kith::test::OwnedBags bags;
  Rng rng(1);
  for (const size_t size : {0u, 1u, 2u, 3u, 30u, 100u, 255u, 256u, 257u, 1000u, 2u, 0u}) {
    Words words;
    for (size_t i = 0; i < size; ++i) {
      words.emplace_back(static_cast<uint32_t>(2 * i + rng.below(2)), 1.0 + rng.uniform());
    }
    bags.add(words);
  }
  expect_twin(bags);
}

TEST(BagMatcher, IsTheMergeOnRandomBags) {
  expect_twin(kith::test::random_bags({.bags = 300, .words = 30, .vocabulary = 300}));
}

TEST(BagMatcher, TellsTheSmallestAndTheLargestTermApart) {
  const std::vector<Words> words{
      {{0, 1.0}}, {{UINT32_MAX, 1.0}}, {{0, 1.0}, {UINT32_MAX, 1.0}}, {{1u << 31, 1.0}}};
  expect_twin(cluster::test::bags_of(words));
}

TEST(BagMatcher, HashesBagsOfOrdinarySize) {
  const auto bags =
      kith::test::random_bags({.bags = 200, .words = 34, .vocabulary = 1000000, .empty_share = 0});
  BagMatcher matcher;
  size_t hashed = 0;
  for (size_t id = 0; id < bags.size(); ++id) {
    matcher.set(bags[id]);
    hashed += matcher.hashed();
  }
  EXPECT_GE(hashed, 198u);
}

}  // namespace
}  // namespace kith::cluster
