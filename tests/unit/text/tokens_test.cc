#include "text/words/tokens.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::text {
namespace {

struct Place {
  uint64_t hash;
  uint32_t offset;
  friend bool operator==(const Place&, const Place&) = default;
};
using Tokens = std::vector<Place>;

Tokens read(TokenReader& reader, std::string_view text, size_t block = 512) {
  Tokens tokens;
  std::vector<uint64_t> hashes(block);
  std::vector<uint32_t> offsets(block);
  reader.reset(text);
  for (;;) {
    const size_t count = reader.read({hashes, offsets});
    for (size_t i = 0; i < count; ++i) tokens.push_back({hashes[i], offsets[i]});
    if (count < block) return tokens;
  }
}

Tokens read(const TokenOptions& options, std::string_view text) {
  return read(*make_token_reader(options), text);
}

std::vector<uint64_t> hashes(const TokenOptions& options, std::string_view text) {
  std::vector<uint64_t> result;
  for (const Place& token : read(options, text)) result.push_back(token.hash);
  return result;
}

constexpr TokenOptions clean_words = {.unit = TokenUnit::words, .normalize = true};
constexpr TokenOptions raw_words = {.unit = TokenUnit::words, .normalize = false};
constexpr TokenOptions clean_characters = {.unit = TokenUnit::characters, .normalize = true};
constexpr TokenOptions raw_characters = {.unit = TokenUnit::characters, .normalize = false};
constexpr TokenOptions all_kinds[] = {clean_words, raw_words, clean_characters, raw_characters};

std::vector<std::string> blank_words(std::string_view text) {
  std::vector<std::string> words;
  BlankSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  for (splitter.reset(text); splitter.next(word, offset);) {
    EXPECT_EQ(text.substr(offset, word.size()), word);
    words.emplace_back(word);
  }
  return words;
}

TEST(BlankSplitter, SplitsAtAsciiWhiteSpaceOnly) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(blank_words(""), Words());
  EXPECT_EQ(blank_words(" \t\r\n\f"), Words());
  EXPECT_EQ(blank_words("one"), Words({"one"}));
  EXPECT_EQ(blank_words(" The  answer,\n42\tis\fDon't "),
            Words({"The", "answer,", "42", "is", "Don't"}));
  EXPECT_EQ(blank_words("a\u00a0b \xff"), Words({"a\u00a0b", "\xff"}));
}

TEST(Tokens, CleanWordsHaveNoCaseAndNoPunctuation) {
  EXPECT_EQ(hashes(clean_words, "The CAT, don't 42!"), hashes(clean_words, "the cat dont 42"));
  EXPECT_NE(hashes(clean_words, "the cat 42"), hashes(clean_words, "the cat 43"));
  EXPECT_NE(hashes(clean_words, "a + b"), hashes(clean_words, "a - b"));
  EXPECT_NE(hashes(clean_words, "cats"), hashes(clean_words, "cat"));  // no stems
  EXPECT_EQ(hashes(clean_words, "the and of").size(), 3u);             // no stop words
}

TEST(Tokens, NumbersAreMaskedOrDropped) {
  TokenOptions options = clean_words;
  options.numbers = Numbers::mask;
  EXPECT_EQ(hashes(options, "mp3 3.14"), hashes(options, "mp4 2.71"));
  EXPECT_EQ(hashes(options, "a 1").size(), 2u);
  options.numbers = Numbers::drop;
  EXPECT_EQ(hashes(options, "mp3 3.14"), hashes(clean_words, "mp"));
}

TEST(Tokens, LongTokensDifferInTheirLastLetter) {
  const std::string text(3000, 'a');
  EXPECT_EQ(hashes(clean_words, text + "b"), hashes(clean_words, text + "B"));
  EXPECT_NE(hashes(clean_words, text + "b"), hashes(clean_words, text + "c"));
  EXPECT_EQ(hashes(clean_words, "x " + text + " y").size(), 3u);
}

TEST(Tokens, UnspacedScriptsAreCutIntoCharacters) {
  EXPECT_EQ(hashes(clean_words, "私は学生です"), hashes(clean_words, "私 は 学 生 で す"));
  EXPECT_EQ(hashes(clean_characters, "私は 学生です"), hashes(raw_characters, "私は学生です"));
  EXPECT_EQ(hashes(raw_words, "私は学生です").size(), 1u);
}

TEST(Tokens, RawWordsAreBytesAsTheyAre) {
  EXPECT_NE(hashes(raw_words, "Cat"), hashes(raw_words, "cat"));
  EXPECT_NE(hashes(raw_words, "cat,"), hashes(raw_words, "cat"));
  EXPECT_EQ(hashes(raw_words, "a  b"), hashes(raw_words, "a\nb"));
  using namespace std::string_literals;
  EXPECT_NE(hashes(raw_words, "a\0"s), hashes(raw_words, "a"));
}

TEST(Tokens, CharactersOfWordsAreSeparatedByOneBlank) {
  EXPECT_EQ(hashes(clean_characters, "Ab,  cD!"), hashes(raw_characters, "ab cd"));
  EXPECT_EQ(hashes(clean_characters, "ä"), hashes(raw_characters, "ä"));
  EXPECT_EQ(hashes(raw_characters, "a b").size(), 3u);
}

TEST(Tokens, BytesThatAreNoUtf8AreCharactersOfTheirOwn) {
  const auto tokens = hashes(raw_characters, "\xff\xfe\ufffd");
  EXPECT_EQ(tokens.size(), 3u);
  EXPECT_EQ(std::set(tokens.begin(), tokens.end()).size(), 3u);
}

TEST(Tokens, EmptyTexts) {
  for (const TokenOptions& options : all_kinds) EXPECT_TRUE(read(options, "").empty());
  EXPECT_TRUE(read(clean_words, " \u00a0\u3000\n").empty());
  EXPECT_TRUE(read(clean_characters, " \u00a0\u3000\n").empty());
  EXPECT_TRUE(read(raw_words, "  \n ").empty());
}

TEST(Tokens, TextsWithoutTokensAreOneTokenByTheirBytes) {
  for (const TokenOptions& options : {clean_words, clean_characters}) {
    EXPECT_EQ(hashes(options, "-- !").size(), 1u);
    EXPECT_EQ(hashes(options, "-- !"), hashes(options, "-- !"));
    EXPECT_NE(hashes(options, "-- !"), hashes(options, "--!"));
    EXPECT_EQ(read(*make_token_reader(options), "...", 1).size(), 1u);
  }
}

TEST(Tokens, OtherSeedOtherHashes) {
  for (TokenOptions options : all_kinds) {
    const auto before = hashes(options, "some words");
    ++options.seed;
    EXPECT_NE(hashes(options, "some words"), before);
  }
}

TEST(Tokens, WordsAreNoCharacters) {
  EXPECT_NE(hashes(raw_words, "a"), hashes(raw_characters, "a"));
}

// Words of every length, so that each way of hashing is taken, at the end of the text too.
TEST(Tokens, EqualHashesExactlyForEqualWords) {
  std::map<uint64_t, std::string> words;
  const std::string letters = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmn";
  for (const TokenOptions& options : {clean_words, raw_words}) {
    for (size_t begin = 0; begin < 26; ++begin) {
      for (size_t size = 1; size <= 40; ++size) {
        const std::string word = letters.substr(begin, size);
        const auto alone = hashes(options, word);
        ASSERT_EQ(alone.size(), 1u);
        const auto inside = hashes(options, "x " + word + " and so much more text behind it");
        ASSERT_EQ(inside[1], alone[0]) << word;
        const auto [place, is_new] = words.emplace(alone[0], word);
        EXPECT_EQ(place->second, word);
      }
    }
  }
  EXPECT_EQ(words.size(), 26u * 40u);
}

RC_GTEST_PROP(Tokens, BlocksOfAnySizeGiveTheSame, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("abcABC  \n'.\xc3\xa9\xe3\x81\x82\xff")));
  const auto block = *rc::gen::inRange<size_t>(1, 9);
  for (const TokenOptions& options : all_kinds) {
    const auto reader = make_token_reader(options);
    const Tokens whole = read(*reader, text);
    RC_ASSERT(read(*reader, text, block) == whole);
    uint32_t before = 0;
    for (const Place& token : whole) {
      RC_ASSERT(token.offset >= before && token.offset < text.size());
      before = token.offset;
    }
  }
}

RC_GTEST_PROP(Tokens, RawWordsAreHashedOneByOne, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab  \n\xff")));
  const Tokens tokens = read(raw_words, text);
  const auto words = blank_words(text);
  RC_ASSERT(tokens.size() == words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    RC_ASSERT(tokens[i].hash == hashes(raw_words, words[i]).front());
  }
}

// Hashes stand in files.
TEST(Tokens, ValuesAreFixedForEver) {
  const std::string_view text = "The cat doesn't extraordinarilylongwordcats 私は学生です. \xff";
  std::vector<uint64_t> fingerprints;
  for (const TokenOptions& options : all_kinds) {
    fingerprints.push_back(hash64(std::as_bytes(std::span<const uint64_t>(hashes(options, text)))));
  }
  EXPECT_EQ(fingerprints, (std::vector<uint64_t>{1008044539793341047u, 9946304882770010252u,
                                                 7523419133289603197u, 1811914035997491805u}));
}

}  // namespace
}  // namespace kith::text
