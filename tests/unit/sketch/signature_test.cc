#include "sketch/signature.h"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "bag_pairs.h"
#include "base/hash.h"
#include "equal_values.h"
#include "simd_levels.h"

namespace kith::sketch {
namespace {

using test::equal_values;
using test::OwnedBag;
using test::supported_levels;
using Values = std::vector<uint16_t>;

constexpr uint32_t last_term = std::numeric_limits<uint32_t>::max();

Values sketch(const Sketcher& sketcher, Bag bag) {
  Values signature(sketcher.lanes());
  sketcher.sketch(bag, signature);
  return signature;
}

void expect_twins(Bag bag, const SketchOptions& options) {
  const Values expected = sketch(Sketcher(options, SimdLevel::scalar), bag);
  for (const SimdLevel level : supported_levels()) {
    EXPECT_EQ(sketch(Sketcher(options, level), bag), expected)
        << "level " << static_cast<int>(level) << ", " << bag.size() << " words, " << options.lanes
        << " lanes, " << options.copies << " copies";
  }
}

uint64_t fingerprint(const Values& values) {
  return hash64(std::as_bytes(std::span(values)));
}

TEST(SketcherTwins, AgreeOnRandomBags) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const OwnedBag bag = test::random_bag(rng, 1 + rng.below(i % 10 == 0 ? 500 : 60));
    expect_twins(bag, {.lanes = static_cast<uint32_t>(16 * (1 + rng.below(64))), .seed = rng()});
  }
}

TEST(SketcherTwins, AgreeForEveryNumberOfLanes) {
  Rng rng(2);
  const OwnedBag bag = test::random_bag(rng, 40);
  for (uint32_t lanes = 16; lanes <= 1024; lanes += 16) expect_twins(bag, {.lanes = lanes});
}

TEST(SketcherTwins, AgreeOnExtremeBags) {
  Rng rng(3);
  for (const uint32_t copies : {1u, 7u, 100u, 1000u, 1024u}) {
    const SketchOptions options = {.copies = copies};
    expect_twins({}, options);
    expect_twins(OwnedBag{{0, bag_total}}, options);
    expect_twins(OwnedBag{{last_term, bag_total}}, options);
    expect_twins(OwnedBag{{0, 1}, {last_term, bag_total - 1}}, options);
    expect_twins(test::random_bag(rng, 10000), options);
  }
}

TEST(SketcherTwins, AgreeOnWeightsThatDoNotAddUp) {
  const OwnedBag bags[] = {
      {{1, 0}},
      {{1, 0}, {2, 0}, {last_term, 0}},
      {{1, 1}},
      {{1, last_term}, {2, last_term}, {3, last_term}},
  };
  for (const OwnedBag& bag : bags) {
    expect_twins(bag, {});
    expect_twins(bag, {.copies = 1024});
  }
  OwnedBag heavy;
  for (uint32_t term = 0; term < 3000; ++term) heavy.push_back({term, bag_total / 50});
  expect_twins(heavy, {});
}

RC_GTEST_PROP(SketcherTwins, AgreeOnAnyEntries, ()) {
  OwnedBag bag;
  const auto weights = *rc::gen::container<std::map<uint32_t, uint32_t>>(
      rc::gen::arbitrary<uint32_t>(), rc::gen::inRange(0u, bag_total + 10));
  for (const auto& [term, weight] : weights) bag.push_back({term, weight});
  const SketchOptions options = {.lanes = 16 * *rc::gen::inRange(1u, 20u),
                                 .copies = *rc::gen::inRange(1u, 300u),
                                 .seed = *rc::gen::arbitrary<uint64_t>()};
  const Values expected = sketch(Sketcher(options, SimdLevel::scalar), bag);
  for (const SimdLevel level : supported_levels()) {
    RC_ASSERT(sketch(Sketcher(options, level), bag) == expected);
  }
}

TEST(Sketcher, EmptyBagGivesZeros) {
  EXPECT_EQ(sketch(Sketcher({}), {}), Values(128, 0));
}

// Signatures stand in files: their values must not change from one version to the next.
TEST(Sketcher, ValuesAreFixedForEver) {
  const OwnedBag one = {{42, bag_total}};
  OwnedBag many;
  for (uint32_t i = 0; i < 64; ++i) many.push_back({i * i, bag_total / 64});
  EXPECT_EQ(fingerprint(sketch(Sketcher({}), one)), 676101534502445838u);
  EXPECT_EQ(fingerprint(sketch(Sketcher({}), many)), 1942217719592948014u);
  EXPECT_EQ(fingerprint(sketch(Sketcher({.lanes = 80, .copies = 33, .seed = 9}), many)),
            15655402554751999906u);
}

TEST(Sketcher, SameBagSameSignatureOtherSeedOther) {
  Rng rng(4);
  const OwnedBag bag = test::random_bag(rng, 30);
  const Values a = sketch(Sketcher({}), bag);
  Sketcher moved = Sketcher({});
  Sketcher target({.seed = 2});
  const Values other = sketch(target, bag);
  target = std::move(moved);
  EXPECT_EQ(sketch(target, bag), a);
  EXPECT_LE(equal_values(a, other), 2u);
}

TEST(Sketcher, LongerSignatureBeginsWithTheShorter) {
  Rng rng(5);
  const OwnedBag bag = test::random_bag(rng, 30);
  const Values longer = sketch(Sketcher({.lanes = 256}), bag);
  const Values shorter = sketch(Sketcher({.lanes = 128}), bag);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

// Adding weight only ever adds copies: where the first and the last of a growing chain of
// bags agree in a lane, all between agree (but for equal 16-bit values of different minima).
TEST(Sketcher, IsMonotone) {
  Rng rng(6);
  const Sketcher sketcher({.lanes = 1024});
  size_t agreeing = 0;
  size_t broken = 0;
  for (int i = 0; i < 30; ++i) {
    OwnedBag small = test::random_bag(rng, 30);
    for (BagEntry& entry : small) entry.weight /= 2;
    OwnedBag middle = small;
    for (BagEntry& entry : middle) entry.weight += static_cast<uint32_t>(rng.below(20000));
    OwnedBag large = middle;
    for (BagEntry& entry : large) entry.weight += static_cast<uint32_t>(rng.below(20000));
    const Values s = sketch(sketcher, small);
    const Values m = sketch(sketcher, middle);
    const Values l = sketch(sketcher, large);
    for (size_t lane = 0; lane < s.size(); ++lane) {
      agreeing += s[lane] == l[lane];
      broken += s[lane] == l[lane] && m[lane] != s[lane];
    }
  }
  EXPECT_GT(agreeing, 10000u);
  EXPECT_LE(broken, 5u);
}

// A lane in which nothing counts keeps the value of "no minimum". A word of q copies must
// count in a share q of the lanes.
TEST(Sketcher, FractionOfACopyCountsInThatShareOfTheLanes) {
  const Sketcher sketcher({.lanes = 1024});
  const Values nothing = sketch(sketcher, OwnedBag{{1, 0}});
  constexpr int words = 200;
  for (const double q : {0.05, 0.3, 0.5, 0.8, 0.97}) {
    double counted = 0.0;
    for (uint32_t term = 0; term < words; ++term) {
      const OwnedBag bag = {{term, static_cast<uint32_t>(q * weight_one)}};
      counted += 1024.0 - static_cast<double>(equal_values(sketch(sketcher, bag), nothing));
    }
    const double trials = words * 1024.0;
    EXPECT_NEAR(counted / trials, q, 5.0 * std::sqrt(q * (1.0 - q) / trials));
  }
}

struct SketchErrors {
  double mean;      // of estimate - similarity
  double expected;  // standard error of that mean, if lanes were independent
  double ratio;     // root mean square error over the ideal sqrt(s (1 - s) / m)
};

template <class MakePair>
SketchErrors measure(uint32_t bits, int pairs, uint64_t seed, const MakePair& make_pair) {
  Rng rng(seed);
  double sum = 0.0;
  double squares = 0.0;
  double ideal = 0.0;
  const uint32_t mask = (1u << bits) - 1;
  const double chance = std::ldexp(1.0, -static_cast<int>(bits));
  constexpr uint32_t lanes = 128;
  std::vector<Sketcher> sketchers;
  for (uint64_t i = 0; i < 10; ++i)
    sketchers.emplace_back(SketchOptions{.lanes = lanes, .seed = i});
  for (int i = 0; i < pairs; ++i) {
    const auto [left, right] = make_pair(rng);
    const Sketcher& sketcher = sketchers[static_cast<size_t>(i) % sketchers.size()];
    const Values a = sketch(sketcher, left);
    const Values b = sketch(sketcher, right);
    int equal = 0;
    for (size_t lane = 0; lane < lanes; ++lane) equal += (a[lane] & mask) == (b[lane] & mask);
    const double s = similarity(left, right);
    const double share = s + (1.0 - s) * chance;
    const double error = (double(equal) / lanes - chance) / (1.0 - chance) - s;
    sum += error;
    squares += error * error;
    ideal += share * (1.0 - share) / lanes / (1.0 - chance) / (1.0 - chance);
  }
  return {sum / pairs, std::sqrt(ideal) / pairs, std::sqrt(squares / ideal)};
}

// The flattening error allowed on top of chance: 1 / (4 S') = 0.0025.
constexpr double flattening_error = 0.0025;

TEST(Sketcher, EstimatesAreUnbiasedAndAsSharpAsIndependentLanes) {
  uint64_t seed = 1;
  for (const size_t words : {1, 3, 10, 34, 200}) {
    for (const double requested : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      for (const uint32_t bits : {8u, 16u}) {
        const SketchErrors errors = measure(
            bits, 500, ++seed, [&](Rng& rng) { return test::random_pair(rng, words, requested); });
        EXPECT_NEAR(errors.mean, 0.0, 5.0 * errors.expected + flattening_error)
            << words << " words, similarity " << requested << ", " << bits << " bits";
        // A pair that is all equal or all different has no error to compare.
        if (errors.expected > 0.0 && words > 1) {
          EXPECT_NEAR(errors.ratio, 1.0, 0.15)
              << words << " words, similarity " << requested << ", " << bits << " bits";
        }
      }
    }
  }
}

// Neighbouring ids are where a linear hash of raw ids goes wrong.
TEST(Sketcher, EstimatesAreUnbiasedOnNeighbouringTerms) {
  for (const double requested : {0.2, 0.5, 0.8}) {
    const SketchErrors errors = measure(16, 2000, 77, [&](Rng& rng) {
      const auto first = static_cast<uint32_t>(rng.below(1 << 20));
      std::map<uint32_t, double> left;
      std::map<uint32_t, double> right;
      const double shared = 2.0 * requested / (1.0 + requested);
      for (uint32_t i = 0; i < 40; ++i) {
        left[first + 2 * i] = 1.0;
        right[first + 2 * i + (rng.uniform() >= shared)] = 1.0;
      }
      return std::pair(test::normalised(left), test::normalised(right));
    });
    EXPECT_NEAR(errors.mean, 0.0, 5.0 * errors.expected + flattening_error);
    EXPECT_NEAR(errors.ratio, 1.0, 0.1);
  }
}

// Two heavy words against the same words in other shares: whole copies and fractions of the
// same word meet.
TEST(Sketcher, EstimatesAreUnbiasedForOneWordOfDifferentWeight) {
  for (const double share : {0.1, 0.333, 0.75, 0.995}) {
    const SketchErrors errors = measure(16, 2000, 5, [&](Rng& rng) {
      const uint32_t term = test::random_term(rng) / 2;
      return std::pair(OwnedBag{{term, bag_total}},
                       test::normalised({{term, share}, {term + 1, 1.0 - share}}));
    });
    EXPECT_NEAR(errors.mean, 0.0, 5.0 * errors.expected + flattening_error);
    EXPECT_NEAR(errors.ratio, 1.0, 0.1);
  }
}

TEST(Sketcher, LowBytesAreSpreadEvenly) {
  Rng rng(8);
  const Sketcher sketcher({});
  std::vector<double> counts(256, 0.0);
  constexpr int bags = 400;
  for (int i = 0; i < bags; ++i) {
    const Values values = sketch(sketcher, test::random_bag(rng, 30));
    std::vector<uint8_t> bytes(values.size());
    low_bytes(values, bytes);
    for (size_t lane = 0; lane < bytes.size(); ++lane) {
      EXPECT_EQ(bytes[lane], values[lane] & 0xff);
      ++counts[bytes[lane]];
    }
  }
  const double expected = bags * 128.0 / 256.0;
  double chi_square = 0.0;
  for (const double count : counts) {
    chi_square += (count - expected) * (count - expected) / expected;
  }
  // 255 degrees of freedom: mean 255, standard deviation 22.6.
  EXPECT_LT(chi_square, 255.0 + 5.0 * 22.6);
}

}  // namespace
}  // namespace kith::sketch
