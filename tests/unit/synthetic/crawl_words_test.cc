#include "synthetic/crawl_words.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace kith::synthetic {
namespace {

TEST(SpellWord, DifferentNumbersAreDifferentWordsOfLetters) {
  std::unordered_set<std::string> words;
  const auto add = [&](uint64_t number) {
    const Spelling spelling = spell_word(number);
    EXPECT_LE(spelling.size, 14u);
    EXPECT_EQ(spelling.bytes[spelling.size], ' ');
    const std::string_view word = spelling.word();
    EXPECT_TRUE(std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) << word;
    EXPECT_TRUE(words.insert(std::string(word)).second) << number << " " << word;
  };
  for (uint64_t number = 0; number < 20'000; ++number) add(number);
  for (uint64_t number = uint64_t{1} << 46; number > 20'000; number -= number / 1000)
    add(number - 1);
}

TEST(CrawlWords, RanksOfTheHeadFollowZipfsLaw) {
  const CrawlWords words;
  constexpr uint32_t draws = 2'000'000;
  std::vector<uint32_t> met(CrawlWords::head_words);
  uint32_t tail = 0;
  Rng rng(3);
  for (uint32_t i = 0; i < draws; ++i) {
    const uint64_t rank = words.rank(rng());
    ASSERT_LT(rank, CrawlWords::max_words);
    if (rank < met.size()) {
      ++met[rank];
    } else {
      ++tail;
    }
  }
  // ln((8192 + 2.7) / 2.7) of the head stand against 1 / 0.4 of the tail.
  const double head = std::log(8194.7 / 2.7);
  EXPECT_NEAR(tail, draws * 2.5 / (head + 2.5), 5 * std::sqrt(draws));
  for (const uint32_t rank : {0u, 3u, 30u, 300u}) {
    const double expected = draws / (head + 2.5) / (rank + 1 + 2.2);
    EXPECT_NEAR(met[rank], expected, 5 * std::sqrt(expected) + 0.02 * expected) << rank;
  }
}

// Heaps' law: the number of different words goes on growing, nearly as the 1 / 1.4-th power.
TEST(CrawlWords, TheVocabularyGrowsAsTheLawSays) {
  const CrawlWords words;
  std::unordered_set<uint64_t> met;
  Rng rng(5);
  uint64_t draws = 0;
  for (const uint64_t until : {100'000u, 400'000u, 1'600'000u}) {
    for (; draws < until; ++draws) met.insert(words.rank(rng()));
    const double expected = words.expected_vocabulary(static_cast<double>(draws));
    EXPECT_NEAR(static_cast<double>(met.size()), expected, 0.02 * expected) << draws;
  }
  EXPECT_NEAR(words.expected_vocabulary(2e10) / words.expected_vocabulary(1e10),
              std::pow(2, 1 / 1.4), 0.01);
  // Five million pages of 900 words, three quarters of them general ones on pages of their own.
  EXPECT_GT(words.expected_vocabulary(5e6 * 900 * 0.75 * 0.85), 40e6);
}

TEST(CrawlWords, WritesTheWordOfTheRank) {
  const CrawlWords words;
  std::unordered_map<uint64_t, std::string> spelled;
  std::unordered_set<std::string> met;
  Rng rng(7);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t bits = rng();
    const uint64_t rank = words.rank(bits);
    char text[16];
    const char* end = words.write(bits, text);
    const std::string word(text, static_cast<size_t>(end - text) - 1);
    ASSERT_EQ(end[-1], ' ');
    const auto [known, is_new] = spelled.emplace(rank, word);
    ASSERT_EQ(known->second, word);
    if (is_new) {
      ASSERT_TRUE(met.insert(word).second) << word;
    }
    if (rank >= CrawlWords::head_words) {
      ASSERT_EQ(word, spell_word(rank).word());
    }
  }
  EXPECT_EQ(spelled[0], "the");
}

}  // namespace
}  // namespace kith::synthetic
