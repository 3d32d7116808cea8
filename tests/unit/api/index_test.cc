// The indexes beside brute force, and center_clusters() beside the definition.
#include "kith/index.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kith/cluster_bags.h"
#include "kith/shingles.h"

#include "sketch/estimate.h"
#include "support/random_bags.h"
#include "unit/api/arrays.h"
#include "unit/jobs/dedup/texts.h"

namespace kith::api {
namespace {

Sets some_sets(size_t n) {
  const std::vector<std::string> texts = test::make_texts(n, 17);
  return std::move(shingles(std::vector<std::string_view>(texts.begin(), texts.end()))).value();
}

template <class Similarity>
std::vector<SimilarIds> brute_force(uint32_t n, double least, const Similarity& similarity) {
  std::vector<SimilarIds> pairs;
  for (uint32_t a = 0; a < n; ++a) {
    for (uint32_t b = a + 1; b < n; ++b) {
      const double s = similarity(a, b);
      if (s >= least) pairs.push_back({a, b, s});
    }
  }
  return pairs;
}

// That nearly all of `truth` is found, and nothing else.
void expect_found(const std::vector<SimilarIds>& found, const std::vector<SimilarIds>& truth) {
  const auto ascending = [](const SimilarIds& x, const SimilarIds& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  };
  EXPECT_TRUE(std::ranges::includes(truth, found, ascending));
  EXPECT_GE(static_cast<double>(found.size()), 0.99 * static_cast<double>(truth.size()));
  EXPECT_GT(found.size(), 10u);
}

TEST(SetIndex, FindsThePairsOfBruteForce) {
  const Sets sets = some_sets(500);
  auto index = SetIndex::make({.similarity = 0.7});
  ASSERT_TRUE(index.is_ok());
  EXPECT_EQ(*index->add(sets, 2), 0u);
  EXPECT_EQ(index->size(), 500u);
  const auto pairs = index->pairs(3);
  ASSERT_TRUE(pairs.is_ok());
  const auto truth = brute_force(500, 0.7, [&](uint32_t a, uint32_t b) {
    return sketch::overlap(sets[a], sets[b]).resemblance();
  });
  expect_found(*pairs, truth);
  EXPECT_EQ(*pairs, *index->pairs(1));
}

TEST(SetIndex, GrowsOneByOneToTheSame) {
  const Sets sets = some_sets(200);
  auto whole = SetIndex::make();
  auto grown = SetIndex::make();
  ASSERT_TRUE(whole->add(sets).is_ok());
  for (uint32_t i = 0; i < sets.size(); ++i) {
    std::vector<uint64_t> any_order(sets[i].rbegin(), sets[i].rend());
    any_order.insert(any_order.end(), sets[i].begin(), sets[i].end());
    EXPECT_EQ(*grown->add(any_order), i);
    EXPECT_TRUE(std::ranges::equal(grown->set(i), sets[i]));
  }
  EXPECT_EQ(*whole->pairs(), *grown->pairs());
  const auto answers = whole->query(sets, 2);
  for (uint32_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ((*answers)[i], *grown->query(sets[i]));
    if (sets[i].empty()) {
      EXPECT_TRUE((*answers)[i].empty());
    } else {
      EXPECT_EQ((*answers)[i].front().similarity, 1);  // itself, or an earlier equal one
    }
  }
}

TEST(SetIndex, RefusesWhatIsOutOfRange) {
  EXPECT_FALSE(SetIndex::make({.similarity = 1}).is_ok());
  EXPECT_FALSE(SetIndex::make({.recall = 0}).is_ok());
  EXPECT_FALSE(SetIndex::make({.lanes = 5}).is_ok());
  EXPECT_FALSE(SetIndex::make({.similarity = 0.05, .recall = 0.999, .max_tables = 1}).is_ok());
  auto index = SetIndex::make();
  const std::vector<uint64_t> offsets = {0, 9};
  EXPECT_FALSE(index->add(SetsView{offsets, {}}).is_ok());
  EXPECT_FALSE(index->query(SetsView{offsets, {}}).is_ok());
  EXPECT_EQ(index->size(), 0u);
  EXPECT_TRUE(index->pairs()->empty());
  EXPECT_TRUE(index->query(std::vector<uint64_t>{1, 2})->empty());
}

TEST(BagIndex, FindsThePairsOfBruteForce) {
  const test::OwnedBags owned = test::random_bags({.bags = 600});
  const test::BagArrays arrays(owned.view());
  const auto bags = Bags::make(arrays.view());
  auto index = BagIndex::make({.similarity = 0.5});
  ASSERT_TRUE(index.is_ok());
  ASSERT_TRUE(index->add(*bags, 2).is_ok());
  const auto pairs = index->pairs(2);
  ASSERT_TRUE(pairs.is_ok());
  expect_found(*pairs, brute_force(600, 0.5, [&](uint32_t a, uint32_t b) {
    return sketch::similarity(owned[a], owned[b]);
  }));
  EXPECT_EQ(*index->add(*bags), 600u);
  const auto answers = index->query(*bags, 2);
  for (size_t i = 0; i < bags->size(); ++i) {
    if (bags->terms(i) == 0) continue;
    const std::vector<Match>& matches = (*answers)[i];
    ASSERT_GE(matches.size(), 2u);  // the bag, twice
    EXPECT_EQ(matches[1].similarity, 1);
  }
}

// CENTER as it is defined, one id after the other.
std::vector<uint32_t> by_definition(uint32_t n, const std::vector<SimilarIds>& pairs,
                                    const std::vector<uint32_t>& order) {
  constexpr uint32_t none = UINT32_MAX;
  std::vector<uint32_t> center(n, none);
  for (const uint32_t id : order) {
    if (center[id] != none) continue;
    center[id] = id;
    for (const SimilarIds& pair : pairs) {
      if (pair.a == id && center[pair.b] == none) center[pair.b] = id;
      if (pair.b == id && center[pair.a] == none) center[pair.a] = id;
    }
  }
  return center;
}

TEST(CenterClusters, AreThoseOfTheDefinition) {
  Rng rng(5);
  for (int round = 0; round < 50; ++round) {
    const auto n = static_cast<uint32_t>(1 + rng.below(40));
    std::vector<SimilarIds> pairs;
    for (uint64_t i = rng.below(100); i > 0 && n > 1; --i) {
      const auto a = static_cast<uint32_t>(rng.below(n));
      const auto b = static_cast<uint32_t>(rng.below(n));
      if (a != b) pairs.push_back({a, b, 0.5});
    }
    std::vector<uint32_t> order(n);
    for (uint32_t i = 0; i < n; ++i) order[i] = i;
    for (uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    const auto found = center_clusters(n, pairs, {.order = order});
    ASSERT_TRUE(found.is_ok());
    EXPECT_EQ(*found, by_definition(n, pairs, order));
  }
}

TEST(CenterClusters, ScanByDegreeAndJoinTheFirstOrTheBest) {
  // 0 - 1 - 2 - 3 - 4, and 2 - 5: 2 has the most neighbours.
  const std::vector<SimilarIds> pairs = {{0, 1, .5}, {2, 1, .5}, {2, 3, .5},
                                         {3, 4, .9}, {2, 5, .5}, {1, 2, .4}};
  EXPECT_EQ(*center_clusters(6, pairs), (std::vector<uint32_t>{0, 2, 2, 2, 4, 2}));
  EXPECT_EQ(*center_clusters(6, pairs, {.assign = Assign::best}),
            (std::vector<uint32_t>{0, 2, 2, 4, 4, 2}));
  EXPECT_EQ(*components(6, pairs), (std::vector<uint32_t>{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(*components(2, {}), (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(center_clusters(0, {})->empty());
}

TEST(CenterClusters, NameWhatIsWrong) {
  const std::vector<SimilarIds> beyond = {{0, 1, 1}, {0, 2, 1}};
  const std::vector<SimilarIds> self = {{1, 1, 1}};
  const std::vector<uint32_t> twice = {0, 0};
  EXPECT_NE(center_clusters(2, beyond).error().message.find("pair 1"), std::string::npos);
  EXPECT_FALSE(components(2, self).is_ok());
  EXPECT_FALSE(center_clusters(2, {}, {.order = twice}).is_ok());
  EXPECT_FALSE(center_clusters(2, {}, {.order = std::span(twice).first(1)}).is_ok());
}

}  // namespace
}  // namespace kith::api
