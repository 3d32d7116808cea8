#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "jobs/paper/signature_file.h"
#include "support/random_bags.h"

namespace kith::jobs {
namespace {

using Signature = std::array<uint32_t, paper_lanes>;
using Words = std::vector<std::pair<uint32_t, double>>;

// The multiset of a bag, word for word.
std::vector<uint64_t> multiset_of(sketch::Bag bag) {
  std::vector<uint64_t> copies;
  for (const sketch::BagEntry& entry : bag) {
    const double weight = static_cast<double>(entry.weight) / sketch::weight_one;
    for (uint32_t copy = 0; copy + 0.5 <= weight; ++copy) {
      copies.push_back(uint64_t{entry.term} * 128 + copy);
    }
  }
  return copies;
}

// The twin: the definition, with the functions drawn in the same way.
Signature twin(uint64_t seed, sketch::Bag bag) {
  __extension__ using Wide = unsigned __int128;
  constexpr uint64_t p = 2305843009213693951u;
  Rng rng(seed);
  Signature minima;
  for (uint32_t& minimum : minima) {
    const uint64_t a = 1 + rng.below(p - 1);
    const uint64_t b = rng.below(p);
    uint64_t least = UINT64_MAX;
    for (const uint64_t x : multiset_of(bag)) {
      least = std::min(least, static_cast<uint64_t>((static_cast<Wide>(a) * x + b) % p));
    }
    minimum = static_cast<uint32_t>(least % (1u << 24));
  }
  return minima;
}

double agreement(const Signature& a, const Signature& b) {
  int equal = 0;
  for (size_t lane = 0; lane < paper_lanes; ++lane) equal += a[lane] == b[lane];
  return static_cast<double>(equal) / paper_lanes;
}

TEST(PaperSignature, RoundsWeightsToCopies) {
  EXPECT_EQ(paper_copies(sketch::weight_one / 2 - 1), 0u);
  EXPECT_EQ(paper_copies(sketch::weight_one / 2), 1u);
  EXPECT_EQ(paper_copies(3 * sketch::weight_one / 2 - 1), 1u);
  EXPECT_EQ(paper_copies(sketch::bag_total), 100u);
}

TEST(PaperSignature, IsTheMinimaOfLinearFunctions) {
  const PaperSketcher sketcher(7);
  const test::OwnedBags bags = test::random_bags({.bags = 60, .empty_share = 0, .seed = 3});
  for (size_t id = 0; id < bags.size(); ++id) {
    ASSERT_TRUE(has_paper_copies(bags[id]));
    Signature minima;
    sketcher.sketch(bags[id], minima);
    EXPECT_EQ(minima, twin(7, bags[id])) << id;
  }
}

TEST(PaperSignature, TakesTheLargestTermAndTheMostCopies) {
  test::OwnedBags bags;
  bags.add(Words{{UINT32_MAX, 1.0}});
  Words halves;  // 200 words of weight 0.5 are a copy each
  for (uint32_t term = 0; term < 200; ++term) halves.push_back({term, 1.0});
  bags.add(halves);
  EXPECT_EQ(multiset_of(bags[1]).size(), 200u);
  for (size_t id = 0; id < bags.size(); ++id) {
    Signature minima;
    PaperSketcher(1).sketch(bags[id], minima);
    EXPECT_EQ(minima, twin(1, bags[id])) << id;
  }
}

TEST(PaperSignature, RoundingMayLeaveNothing) {
  test::OwnedBags bags;
  bags.add({});
  Words many;
  for (uint32_t term = 0; term < 300; ++term) many.push_back({term, 1.0});
  bags.add(many);
  EXPECT_FALSE(has_paper_copies(bags[0]));
  EXPECT_FALSE(has_paper_copies(bags[1]));
}

// Over many seeds the share of equal minima is near the similarity; linear functions of raw ids
// are a little too high (docs/algorithms/paper.md).
TEST(PaperSignature, AgreesAsTheBagsDo) {
  for (const uint32_t common : {0u, 5u, 10u, 20u}) {
    test::OwnedBags bags;
    Words a, b;
    for (uint32_t i = 0; i < 20; ++i) {
      a.push_back({mix64(i) % 100'000, 1.0});
      b.push_back({mix64(i < common ? i : i + 20) % 100'000, 1.0});
    }
    bags.add(a);
    bags.add(b);
    double mean = 0;
    constexpr int seeds = 200;
    for (int seed = 0; seed < seeds; ++seed) {
      const PaperSketcher sketcher(static_cast<uint64_t>(seed));
      Signature x, y;
      sketcher.sketch(bags[0], x);
      sketcher.sketch(bags[1], y);
      mean += agreement(x, y) / seeds;
    }
    EXPECT_NEAR(mean, sketch::similarity(bags[0], bags[1]), 0.05) << common;
  }
}

}  // namespace
}  // namespace kith::jobs
