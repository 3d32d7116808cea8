#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/support/token_twin.h"
#include "text/words/letters.h"
#include "text/words/tokens.h"

namespace kith::text {
namespace {

using Texts = std::vector<std::string>;

Texts tokens_of(std::string_view text, Numbers numbers = Numbers::keep) {
  TokenSplitter splitter(numbers);
  Texts result;
  Token token;
  bool continues = false;
  uint32_t before = 0;
  for (splitter.reset(text); splitter.next(token);) {
    EXPECT_GE(token.offset, before);
    before = token.offset;
    EXPECT_LE(token.text.size(), TokenSplitter::max_piece_bytes);
    if (continues) {
      result.back() += token.text;
    } else {
      result.emplace_back(token.text);
    }
    continues = token.continues;
  }
  return result;
}

std::string repeated(std::string_view text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST(TokenSplitter, LettersAndDigitsAreOneToken) {
  EXPECT_EQ(tokens_of("The mp3, UTF8; 2nd covid19"),
            Texts({"the", "mp3", "utf8", "2nd", "covid19"}));
  EXPECT_EQ(tokens_of("snake_case"), Texts({"snake", "case"}));
}

TEST(TokenSplitter, NumbersAreSplitAtTheirSeparators) {
  EXPECT_EQ(tokens_of("3.14 1,000 2019-11-02 10:30 v2.0.12"),
            Texts({"3", "14", "1", "000", "2019", "11", "02", "10", "30", "v2", "0", "12"}));
}

TEST(TokenSplitter, NumbersAreMaskedOrDropped) {
  EXPECT_EQ(tokens_of("mp3 2nd 3.14 \u0663\u0664x", Numbers::mask),
            Texts({"mp0", "0nd", "0", "0", "0x"}));
  EXPECT_EQ(tokens_of("mp3x 2nd 3.14 \u0663\u0664x", Numbers::drop), Texts({"mp", "x", "nd", "x"}));
  EXPECT_EQ(tokens_of("a + 1 = b", Numbers::drop), Texts({"a", "+", "=", "b"}));
}

TEST(TokenSplitter, SymbolsAreTokensOneByOne) {
  EXPECT_EQ(tokens_of("a + b * c, $5 <= \u20ac6 \u2264 ^`"),
            Texts({"a", "+", "b", "c", "$", "5", "<", "=", "\u20ac", "6", "\u2264"}));
  EXPECT_EQ(tokens_of("\U0001f600\U0001f600\u2764\ufe0f"),
            Texts({"\U0001f600", "\U0001f600", "\u2764"}));
  EXPECT_EQ(tokens_of("=\u0338"), Texts({"\u2260"}));
}

TEST(TokenSplitter, ApostrophesVanishBetweenLettersOnly) {
  EXPECT_EQ(tokens_of("don't dogs' 'tis l\u2019eau 5'10 a'1 o'\u00e9"),
            Texts({"dont", "dogs", "tis", "leau", "5", "10", "a", "1", "o\u00e9"}));
}

TEST(TokenSplitter, ScriptsWithoutBlanksAreReadByLetters) {
  EXPECT_EQ(tokens_of("2024\u5e74\u304b\u3089abc"),
            Texts({"2024", "\u5e74", "\u304b", "\u3089", "abc"}));
  EXPECT_EQ(tokens_of("\u0e01\u0e34\u0e19"),
            Texts({"\u0e01\u0e34", "\u0e19"}));  // with their marks
}

TEST(TokenSplitter, ComparesInNfkcAndCaseFolded) {
  EXPECT_EQ(tokens_of("\uff26\uff35\uff2c\uff2c \ufb01ne Stra\u00dfe \u0130"),
            Texts({"full", "fine", "strasse", "i\u0307"}));
  EXPECT_EQ(tokens_of("e\u0301t\u00e9"), Texts({"\u00e9t\u00e9"}));
  EXPECT_EQ(tokens_of("\uff76\uff9e"), Texts({"\u30ac"}));
  EXPECT_EQ(tokens_of("m\u00b2 \u00bd"), Texts({"m2", "1", "\u2044", "2"}));
  EXPECT_EQ(tokens_of("\u1112\u1161\u11ab"), Texts({"\ud55c"}));
}

TEST(TokenSplitter, InvisibleCharactersVanish) {
  EXPECT_EQ(tokens_of("soft\u00adhyphen zero\u200dwidth no\u2060break mark\u200e"),
            Texts({"softhyphen", "zerowidth", "nobreak", "mark"}));
}

// As in words: within a word a zero-width space is a place to break the line, but in scripts of
// southern Asia and the Far East it ends words.
TEST(TokenSplitter, ALineBreakVanishesWithinAWord) {
  EXPECT_EQ(tokens_of("fox\u200btrot fox\u200b\u00ad\u200btrot 1\u200b000 mp\u200b3"),
            Texts({"foxtrot", "foxtrot", "1000", "mp3"}));
  EXPECT_EQ(tokens_of("\u200bfox\u200b trot\u200b. \u200b"), Texts({"fox", "trot"}));
  EXPECT_EQ(tokens_of("ti\u200b\u1ebfng \u043c\u043e\u200b\u0440\u0435 \u05d0\u200b\u05d1"),
            Texts({"ti\u1ebfng", "\u043c\u043e\u0440\u0435", "\u05d0\u05d1"}));
  EXPECT_EQ(tokens_of("don'\u200bt don\u200b't"), Texts({"dont", "don", "t"}));
  EXPECT_EQ(tokens_of("\u0915\u200b\u0916 \uac00\u200b\ub098 a\u200b\u0301"),
            Texts({"\u0915", "\u0916", "\uac00", "\ub098", "a", "\u0301"}));
  EXPECT_EQ(tokens_of("a\u200b1", Numbers::drop), Texts({"a"}));
  EXPECT_EQ(tokens_of("1\u200b23", Numbers::mask), Texts({"0"}));
  EXPECT_EQ(tokens_of(repeated("a\u200b", 3000)), Texts({repeated("a", 3000)}));
  EXPECT_EQ(tokens_of("a" + repeated("\u200b", 100000) + "b"), Texts({"ab"}));
}

TEST(TokenSplitter, NothingIsTooLong) {
  for (const std::string_view unit : {"a", "9", "\u0ba4", "e\u0301"}) {
    for (const size_t times : {63u, 64u, 65u, 300u, 1024u, 5000u}) {
      const std::string text = repeated(unit, times);
      const std::string folded = unit == "e\u0301" ? repeated("\u00e9", times) : text;
      EXPECT_EQ(tokens_of("x " + text + " y"), Texts({"x", folded, "y"})) << unit << times;
    }
  }
}

TEST(TokenSplitter, MarksWithoutEndAreReadInLinearTime) {
  const std::string text = "a" + repeated("\u0301\u0323", 100000);
  EXPECT_EQ(tokens_of(text).size(), 1u);
}

// Every code point alone, between letters, between digits, and behind an ASCII symbol.
TEST(TokenSplitter, IsItsTwinForEveryCodePoint) {
  for (const Numbers numbers : {Numbers::keep, Numbers::mask, Numbers::drop}) {
    test::TokenTwin twin(numbers);
    for (char32_t c = 1; c < 0x110000; ++c) {
      if (c >= 0xd800 && c < 0xe000) continue;
      char bytes[4];
      const std::string one(bytes, encode_utf8(c, bytes));
      const std::string text = one + " a" + one + "b 1" + one + "2=" + one + "'x";
      ASSERT_EQ(tokens_of(text, numbers), twin.tokens(text))
          << std::hex << static_cast<uint32_t>(c);
      if (numbers != Numbers::keep && c > 0x2ff) c += 12;
    }
  }
}

RC_GTEST_PROP(TokenSplitter, IsItsTwinForMixedTexts, ()) {
  const Texts parts = {
      "a",      "B",      "\u00c9", "\u00df",
      "\ufb01", "1",      "23",     "\u0663",
      " ",      "  ",     ".",      "'",
      "\u2019", "+",      "=",      "\u20ac",
      "\u0301", "\u0338", "\u0323", "\u00ad",
      "\u200b", "\u200d", "\ufe0f", "\u5e74",
      "\u30ab", "\u3099", "\uff76", "\uff9e",
      "\u0e01", "\u0e34", "\u1112", "\u1161",
      "\u11ab", "\uac00", "\u00bd", "\u2460",
      "\u3231", "\u094d", "\u0915", "\U0001f600",
      "_",      "-",      "\ufdfa", "0123456789abcdefghijklmnopqrstuvwxyz0123456789"};
  const auto chosen = *rc::gen::container<Texts>(rc::gen::elementOf(parts));
  std::string text;
  for (const std::string& part : chosen) text += part;
  for (const Numbers numbers : {Numbers::keep, Numbers::mask, Numbers::drop}) {
    RC_ASSERT(tokens_of(text, numbers) == test::TokenTwin(numbers).tokens(text));
  }
}

}  // namespace
}  // namespace kith::text
