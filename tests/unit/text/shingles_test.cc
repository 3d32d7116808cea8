#include "text/words/shingles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/hash.h"
#include "base/random.h"

namespace kith::text {
namespace {

using Hashes = std::vector<uint64_t>;

ShingleOptions words(uint32_t width, bool bag = false) {
  return {.tokens = {}, .width = width, .bag = bag};
}

Hashes read(const ShingleOptions& options, std::string_view text) {
  Hashes shingles;
  Shingler(options).read(text, shingles);
  return shingles;
}

Hashes elements(const ShingleOptions& options, std::string_view text) {
  Hashes result;
  Shingler(options).elements(text, result);
  return result;
}

TEST(Shingles, TokensAreCounted) {
  std::string text;
  for (size_t count : {0, 1, 4, 511, 512, 513, 2000}) {
    text.clear();
    for (size_t i = 0; i < count; ++i) text += "word ";
    Shingler shingler(words(1));
    EXPECT_EQ(shingler.count_tokens(text), count);
    Hashes shingles;
    shingler.read(text, shingles);
    EXPECT_EQ(shingles.size(), count);
  }
}

// Words out of a small alphabet, which repeat.
std::vector<std::string> random_words(Rng& rng, size_t count, uint64_t alphabet) {
  std::vector<std::string> result;
  for (size_t i = 0; i < count; ++i) {
    result.push_back("w" + std::string(1 + rng.below(3), 'x') +
                     std::string(1, static_cast<char>('a' + rng.below(alphabet))));
  }
  return result;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += part + " ";
  return text;
}

// The slow twin: every window cut out and read alone. With as many words as the width, or fewer,
// a text has one shingle.
Hashes windows_one_by_one(const ShingleOptions& options, const std::vector<std::string>& all) {
  Hashes result;
  const size_t width = std::min<size_t>(options.width, all.size());
  for (size_t i = 0; width > 0 && i + width <= all.size(); ++i) {
    const auto first = all.begin() + static_cast<ptrdiff_t>(i);
    const Hashes alone = read(options, joined({first, first + static_cast<ptrdiff_t>(width)}));
    EXPECT_EQ(alone.size(), 1u);
    result.push_back(alone.front());
  }
  return result;
}

TEST(Shingler, RollsAsWindowsCutOut) {
  Rng rng(1);
  for (const uint32_t width : {1u, 2u, 5u, 16u, 256u}) {
    for (const size_t count : {0u, 1u, 2u, 4u, 5u, 6u, 255u, 256u, 257u, 511u, 512u, 513u, 1100u}) {
      if (size_t{width} * count > 20000) continue;
      const auto all = random_words(rng, count, 20);
      EXPECT_EQ(read(words(width), joined(all)), windows_one_by_one(words(width), all))
          << width << ' ' << count;
    }
  }
}

TEST(Shingler, EqualHashesExactlyForEqualWindows) {
  Rng rng(2);
  const auto all = random_words(rng, 3000, 3);
  for (const uint32_t width : {1u, 2u, 3u, 5u}) {
    const Hashes shingles = read(words(width), joined(all));
    ASSERT_EQ(shingles.size(), all.size() - width + 1);
    std::map<std::vector<std::string>, uint64_t> hash_of;
    std::set<uint64_t> hashes;
    for (size_t i = 0; i < shingles.size(); ++i) {
      const auto first = all.begin() + static_cast<ptrdiff_t>(i);
      const auto [place, is_new] = hash_of.emplace(std::vector(first, first + width), shingles[i]);
      EXPECT_EQ(place->second, shingles[i]);
      hashes.insert(shingles[i]);
    }
    EXPECT_EQ(hashes.size(), hash_of.size());
    EXPECT_LT(hash_of.size(), shingles.size());
  }
}

TEST(Shingler, ShortDocumentsAreOneShingle) {
  for (const bool bag : {false, true}) {
    EXPECT_TRUE(elements(words(5, bag), "").empty());
    EXPECT_TRUE(elements(words(5, bag), " \n").empty());
    EXPECT_EQ(elements(words(5, bag), "one").size(), 1u);
    EXPECT_EQ(elements(words(5, bag), "one two three four").size(), 1u);
    EXPECT_EQ(elements(words(5, bag), "one two three four five").size(), 1u);
    EXPECT_EQ(elements(words(5, bag), "one two three four five six").size(), 2u);
  }
  EXPECT_NE(elements(words(5), "one two"), elements(words(5), "one two three"));
  EXPECT_NE(elements(words(5), "one two"), elements(words(5), "two one"));
}

TEST(Shingler, SetsAndBags) {
  // a rose is a rose is a rose (Broder 1997): three shingles of 4 words, two of them twice.
  const std::string_view rose = "a rose is a rose is a rose";
  EXPECT_EQ(read(words(4), rose).size(), 5u);
  EXPECT_EQ(elements(words(4), rose).size(), 3u);
  EXPECT_EQ(elements(words(4, true), rose).size(), 5u);
  // The first occurrences are the elements of the set.
  const Hashes set = elements(words(4), rose);
  const Hashes bag = elements(words(4, true), rose);
  EXPECT_TRUE(std::includes(bag.begin(), bag.end(), set.begin(), set.end()));
}

// The k-th occurrence of a shingle is the same element in every document.
TEST(Shingler, BagsShareTheSmallerNumberOfOccurrences) {
  const auto times = [](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += "again ";
    return elements(words(1, true), text);
  };
  for (const size_t a : {1u, 2u, 7u, 600u}) {
    for (const size_t b : {1u, 3u, 7u, 900u}) {
      const Hashes x = times(a);
      const Hashes y = times(b);
      Hashes common;
      std::ranges::set_intersection(x, y, std::back_inserter(common));
      EXPECT_EQ(x.size(), a);
      EXPECT_EQ(common.size(), std::min(a, b));
    }
  }
}

RC_GTEST_PROP(Shingler, ElementsAscendEachOnce, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aab  ")));
  const auto width = *rc::gen::inRange(1u, 5u);
  for (const TokenUnit unit : {TokenUnit::words, TokenUnit::characters}) {
    for (const bool bag : {false, true}) {
      const ShingleOptions options = {.tokens = {.unit = unit}, .width = width, .bag = bag};
      Hashes shingles = read(options, text);
      const Hashes made = elements(options, text);
      RC_ASSERT(std::ranges::adjacent_find(made, std::greater_equal<>()) == made.end());
      if (bag) {
        RC_ASSERT(made.size() == shingles.size());
      } else {
        std::ranges::sort(shingles);
        shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
        RC_ASSERT(made == shingles);
      }
    }
  }
}

TEST(Shingler, OffsetsAreThoseOfTheTokens) {
  Shingler shingler(words(2));
  Hashes shingles;
  std::vector<uint32_t> offsets;
  shingler.read("One, two -- three", shingles, offsets);
  EXPECT_EQ(shingles.size(), 2u);
  EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 5, 12}));
  shingler.read(" one", shingles, offsets);
  EXPECT_EQ(shingles.size(), 1u);
  EXPECT_EQ(offsets, (std::vector<uint32_t>{1}));
  shingler.read("", shingles, offsets);
  EXPECT_TRUE(shingles.empty());
  EXPECT_TRUE(offsets.empty());
}

TEST(Shingler, OneInstanceForManyDocuments) {
  Rng rng(3);
  Shingler shingler(words(5));
  Hashes shingles;
  for (int i = 0; i < 50; ++i) {
    const std::string text = joined(random_words(rng, rng.below(800), 10));
    shingler.elements(text, shingles);
    EXPECT_EQ(shingles, elements(words(5), text));
  }
  Shingler moved = std::move(shingler);
  moved.elements("one two", shingles);
  EXPECT_EQ(shingles, elements(words(5), "one two"));
}

// Every bit of a shingle is as good as a coin, since sketches choose by bits.
TEST(Shingler, BitsAreEven) {
  Rng rng(4);
  const Hashes shingles = elements(words(3), joined(random_words(rng, 40000, 26)));
  const auto count = static_cast<double>(shingles.size());
  ASSERT_GT(count, 30000.0);
  for (int bit = 0; bit < 64; ++bit) {
    double ones = 0.0;
    for (const uint64_t shingle : shingles) ones += static_cast<double>(shingle >> bit & 1);
    EXPECT_NEAR(ones / count, 0.5, 2.5 / std::sqrt(count)) << bit;
  }
}

TEST(RemoveCommon, RemovesWhatIsListed) {
  Hashes set = {1, 3, 5, 7};
  remove_common(set, Hashes{0, 3, 4, 7, 9});
  EXPECT_EQ(set, (Hashes{1, 5}));
  remove_common(set, {});
  EXPECT_EQ(set, (Hashes{1, 5}));
  remove_common(set, Hashes{1, 5});
  EXPECT_TRUE(set.empty());
  remove_common(set, Hashes{1});
  EXPECT_TRUE(set.empty());
}

TEST(Shingler, RemovesCommonOnesAsADifference) {
  Rng rng(8);
  const auto sorted = [&](size_t n, uint64_t below) {
    Hashes set;
    for (size_t i = 0; i < n; ++i) set.push_back(rng.below(below));
    std::ranges::sort(set);
    set.erase(std::unique(set.begin(), set.end()), set.end());
    return set;
  };
  for (const size_t n : {1u, 5u, 300u}) {
    for (const size_t common_size : {1u, 7u, 2000u}) {
      for (const uint64_t below : {20u, 1000u, 1000000u}) {
        Hashes set = sorted(n, below);
        const Hashes common = sorted(common_size, below);
        Hashes expected;
        std::ranges::set_difference(set, common, std::back_inserter(expected));
        remove_common(set, common);
        EXPECT_EQ(set, expected) << n << ' ' << common_size << ' ' << below;
      }
    }
  }
}

// Shingles stand in files.
TEST(Shingler, ValuesAreFixedForEver) {
  const std::string_view text =
      "It was the best of times, it was the worst of times: it was the best of times";
  Hashes fingerprints;
  for (const bool bag : {false, true}) {
    for (const uint32_t width : {1u, 5u, 50u}) {
      fingerprints.push_back(
          hash64(std::as_bytes(std::span<const uint64_t>(elements(words(width, bag), text)))));
    }
  }
  EXPECT_EQ(fingerprints,
            (Hashes{10023075981762519515u, 4911231666470119358u, 15857405116592187496u,
                    11901127537261529544u, 18314548680358573127u, 15857405116592187496u}));
}

}  // namespace
}  // namespace kith::text
