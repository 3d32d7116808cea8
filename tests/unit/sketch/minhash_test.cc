#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/hash.h"
#include "equal_values.h"
#include "random_sets.h"
#include "simd_levels.h"
#include "sketch/estimate.h"
#include "sketch/set_sketches.h"

namespace kith::sketch {
namespace {

using test::equal_values;
using test::Hashes;
using test::supported_levels;
using Values = std::vector<uint16_t>;

constexpr MinHashFamily families[] = {MinHashFamily::lanes, MinHashFamily::bins};

Values sketch(const SetSketcher& hasher, std::span<const uint64_t> elements) {
  Values signature(hasher.lanes());
  hasher.sketch(elements, signature);
  return signature;
}

void expect_twins(const Hashes& elements, const SetSketchOptions& options) {
  const Values expected = sketch(SetSketcher(options, SimdLevel::scalar), elements);
  for (const SimdLevel level : supported_levels()) {
    EXPECT_EQ(sketch(SetSketcher(options, level), elements), expected)
        << "level " << static_cast<int>(level) << ", " << elements.size() << " elements, "
        << options.lanes << " lanes";
  }
}

TEST(MinHasherTwins, AgreeOnRandomSets) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const Hashes set = test::random_set(rng, rng.below(i % 10 == 0 ? 3000 : 60));
    expect_twins(set, {.lanes = static_cast<uint32_t>(16 * (1 + rng.below(64))), .seed = rng()});
  }
}

TEST(MinHasherTwins, AgreeForEveryNumberOfLanes) {
  Rng rng(2);
  const Hashes set = test::random_set(rng, 40);
  for (const MinHashFamily family : families) {
    for (uint32_t lanes = 16; lanes <= 1024; lanes += 16) {
      expect_twins(set, {.family = family, .lanes = lanes});
    }
  }
}

// The first rounds leave few bins empty, and more than one block of elements is looked through.
TEST(MinHasherTwins, AgreeWhereFewBinsAreLeft) {
  Rng rng(7);
  for (const uint32_t lanes : {80u, 128u, 1008u, 1024u}) {
    for (const size_t size : {3 * lanes, 4 * lanes + 1, 6 * lanes + 13}) {
      expect_twins(test::random_set(rng, size), {.family = MinHashFamily::bins, .lanes = lanes});
    }
  }
}

TEST(MinHasherTwins, AgreeOnExtremeElements) {
  const uint64_t last = ~uint64_t{0};
  for (const Hashes& set : {Hashes{0}, Hashes{last}, Hashes{0, last}, Hashes{1, 1u << 31},
                            Hashes{uint64_t{1} << 32}, Hashes{uint64_t{1} << 63, 5}}) {
    expect_twins(set, {});
    expect_twins(set, {.family = MinHashFamily::bins});
  }
}

RC_GTEST_PROP(MinHasherTwins, AgreeOnAnyElements, (const Hashes& elements)) {
  const SetSketchOptions options = {.lanes = 16 * *rc::gen::inRange(1u, 20u),
                                    .seed = *rc::gen::arbitrary<uint64_t>()};
  const Values expected = sketch(SetSketcher(options, SimdLevel::scalar), elements);
  for (const SimdLevel level : supported_levels()) {
    RC_ASSERT(sketch(SetSketcher(options, level), elements) == expected);
  }
}

// The slow twin of FastSketch: all 2 m rounds, of each the smallest hash of every bin, and then the
// first round that reached a bin.
std::vector<uint32_t> all_rounds(const Hashes& elements, uint32_t bins, uint64_t salt) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15;
  std::vector<uint32_t> values(bins);
  std::vector<bool> is_won(bins, false);
  for (uint32_t round = 0; round < 2 * bins; ++round) {
    std::map<uint64_t, uint32_t> least;
    for (const uint64_t element : elements) {
      const uint64_t hash = element * (mix64(salt + round * golden) | 1);
      const uint64_t bin = round < bins ? ((hash >> 32) * bins) >> 32 : round - bins;
      const auto value = static_cast<uint32_t>(hash);
      const auto [place, is_new] = least.emplace(bin, value);
      if (!is_new) place->second = std::min(place->second, value);
    }
    for (const auto& [bin, value] : least) {
      if (is_won[bin]) continue;
      is_won[bin] = true;
      values[bin] = static_cast<uint32_t>(mix64(uint64_t{round} << 32 | value) >> 32);
    }
  }
  return values;
}

TEST(FastSketchTwin, AgreesWithAllRounds) {
  Rng rng(6);
  for (const uint32_t bins : {1u, 16u, 100u, 128u}) {
    for (const size_t size : {1, 2, 10, 70, 200, 300, 301, 500, 3000}) {
      const Hashes set = test::random_set(rng, size);
      const uint64_t salt = rng();
      const std::vector<uint32_t> expected = all_rounds(set, bins, salt);
      for (const SimdLevel level : supported_levels()) {
        std::vector<uint32_t> values(bins);
        FastSketch(bins, salt, kernels(level)).sketch(set, values.data());
        EXPECT_EQ(values, expected) << bins << " bins, " << size << " elements";
      }
    }
  }
}

RC_GTEST_PROP(SetSketcher, OrderAndRepetitionsChangeNothing, (Hashes elements)) {
  for (const MinHashFamily family : families) {
    const SetSketcher hasher({.family = family});
    const Values expected = sketch(hasher, elements);
    Hashes more = elements;
    more.insert(more.end(), elements.rbegin(), elements.rend());
    RC_ASSERT(sketch(hasher, more) == expected);
  }
}

TEST(SetSketcher, EmptySetsGiveZeros) {
  for (const MinHashFamily family : families) {
    EXPECT_EQ(sketch(SetSketcher({.family = family}), {}), Values(128, 0));
  }
}

TEST(SetSketcher, OtherSeedOrFamilyOtherSignature) {
  Rng rng(3);
  const Hashes set = test::random_set(rng, 50);
  const Values one = sketch(SetSketcher({}), set);
  EXPECT_LE(equal_values(one, sketch(SetSketcher({.seed = 2}), set)), 2u);
  EXPECT_LE(equal_values(one, sketch(SetSketcher({.family = MinHashFamily::bins}), set)), 2u);
  const Values bins = sketch(SetSketcher({.family = MinHashFamily::bins}), set);
  EXPECT_LE(
      equal_values(bins, sketch(SetSketcher({.family = MinHashFamily::bins, .seed = 2}), set)), 2u);
}

TEST(SetSketcher, ALongerSignatureOfLanesBeginsWithTheShorter) {
  Rng rng(4);
  const Hashes set = test::random_set(rng, 50);
  const Values longer = sketch(SetSketcher({.lanes = 256}), set);
  for (const uint32_t lanes : {16u, 48u, 128u}) {
    const Values shorter = sketch(SetSketcher({.lanes = lanes}), set);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
  }
}

// How the share of equal lanes is spread around the resemblance, over many pairs.
struct MinHashErrors {
  double mean;      // of share - resemblance
  double expected;  // standard error of that mean, if lanes were independent
  double ratio;     // root mean square error over the ideal sqrt(r (1 - r) / m)
};

MinHashErrors measure(MinHashFamily family, uint32_t lanes, size_t size, double resemblance,
                      int pairs, uint64_t seed) {
  Rng rng(seed);
  std::vector<SetSketcher> hashers;
  for (uint64_t i = 0; i < 10; ++i) {
    hashers.emplace_back(SetSketchOptions{.family = family, .lanes = lanes, .seed = i});
  }
  double sum = 0.0;
  double squares = 0.0;
  double ideal = 0.0;
  for (int i = 0; i < pairs; ++i) {
    const auto [a, b] = test::resembling_sets(rng, size, resemblance);
    const SetSketcher& hasher = hashers[static_cast<size_t>(i) % hashers.size()];
    const double r = overlap(a, b).resemblance();
    const double error = double(equal_values(sketch(hasher, a), sketch(hasher, b))) / lanes - r;
    sum += error;
    squares += error * error;
    ideal += r * (1.0 - r) / lanes;
  }
  return {sum / pairs, std::sqrt(ideal) / pairs, std::sqrt(squares / ideal)};
}

TEST(SetSketcher, LanesAreUnbiasedAndAsSharpAsIndependentOnes) {
  uint64_t seed = 1;
  for (const size_t size : {10, 30, 300, 3000}) {
    for (const double r : {0.1, 0.5, 0.9}) {
      const int pairs = size > 1000 ? 300 : 1000;
      const MinHashErrors errors = measure(MinHashFamily::lanes, 128, size, r, pairs, ++seed);
      EXPECT_NEAR(errors.mean, 0.0, 5.0 * errors.expected) << size << ' ' << r;
      EXPECT_NEAR(errors.ratio, 1.0, 0.15) << size << ' ' << r;
    }
  }
}

// Bins draw nearly without replacement: of small sets they know more than independent lanes.
TEST(SetSketcher, BinsAreUnbiasedAndAtLeastAsSharp) {
  uint64_t seed = 100;
  for (const size_t size : {10, 30, 100, 300, 3000}) {
    for (const double r : {0.1, 0.5, 0.9}) {
      const int pairs = size > 1000 ? 300 : 1000;
      const MinHashErrors errors = measure(MinHashFamily::bins, 128, size, r, pairs, ++seed);
      EXPECT_NEAR(errors.mean, 0.0, 5.0 * errors.expected) << size << ' ' << r;
      EXPECT_LT(errors.ratio, 1.1) << size << ' ' << r;
    }
  }
}

TEST(SetSketcher, SetsOfVeryDifferentSizesAreUnbiasedToo) {
  Rng rng(5);
  for (const MinHashFamily family : families) {
    double sum = 0.0;
    double expected = 0.0;
    constexpr int pairs = 300;
    for (int i = 0; i < pairs; ++i) {
      const auto [a, b] = test::random_sets(rng, 40, 4000, 40);
      const SetSketcher hasher({.family = family, .seed = static_cast<uint64_t>(i)});
      sum += equal_values(sketch(hasher, a), sketch(hasher, b)) / 128.0;
      expected += overlap(a, b).resemblance();
    }
    const double r = expected / pairs;
    EXPECT_NEAR(sum / pairs, r, 5.0 * std::sqrt(r / 128.0 / pairs));
  }
}

// Signatures stand in files: their values must not change from one version to the next.
TEST(SetSketcher, ValuesAreFixedForEver) {
  Hashes set(500);
  for (uint64_t i = 0; i < set.size(); ++i) set[i] = mix64(i);
  const auto fingerprint = [&](const SetSketchOptions& options) {
    return hash64(std::as_bytes(std::span<const uint16_t>(sketch(SetSketcher(options), set))));
  };
  EXPECT_EQ(fingerprint({}), 3186132574033458135u);
  EXPECT_EQ(fingerprint({.lanes = 80, .seed = 9}), 3337732458482565498u);
  EXPECT_EQ(fingerprint({.family = MinHashFamily::bins}), 15787992024023893886u);
  EXPECT_EQ(fingerprint({.family = MinHashFamily::bins, .lanes = 1024}), 2249975111222279402u);
}

}  // namespace
}  // namespace kith::sketch
