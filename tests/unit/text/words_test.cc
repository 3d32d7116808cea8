#include "text/words/words.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include "text/words/letters.h"

namespace kith::text {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Word {
  std::string text;
  uint32_t offset;
  friend bool operator==(const Word&, const Word&) = default;
};

std::vector<Word> split(std::string_view text) {
  WordSplitter splitter;
  splitter.reset(text);
  std::vector<Word> words;
  std::string_view word;
  uint32_t offset = 0;
  while (splitter.next(word, offset)) words.push_back({std::string(word), offset});
  return words;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const auto& word : split(text)) words.push_back(word.text);
  return words;
}

std::string joined(std::string_view text, std::string_view mark) {
  std::string all;
  for (const auto& word : split(text)) all += (all.empty() ? "" : std::string(mark)) + word.text;
  return all;
}

TEST(WordSplitter, LowersAsciiWords) {
  EXPECT_THAT(words_of("The quick-brown FOX_2 jumps; over 12 a1b dogs."),
              ElementsAre("the", "quick", "brown", "fox", "jumps", "over", "dogs"));
}

TEST(WordSplitter, TakesLettersAtDigitsForNoWord) {
  EXPECT_THAT(words_of("the 4th, 2nd or 1st quarter"), ElementsAre("the", "or", "quarter"));
  EXPECT_THAT(words_of("an mp3 in utf8 on x86_64 and H2O v2.0"),
              ElementsAre("an", "in", "on", "and"));
  EXPECT_THAT(words_of("covid-19 utf-8 fox_2 (1)a page3.html"),
              ElementsAre("covid", "utf", "fox", "a", "html"));
  EXPECT_THAT(words_of("don't4 4don't l'eau4 4l'eau x\u00ad4"), ElementsAre("l", "eau", "x"));
  EXPECT_THAT(words_of("\u00e94 4\u00e9 \u00fcber4 4\u00fcber e\u03014 2019\ub144"), IsEmpty());
}

TEST(WordSplitter, KnowsDecimalDigitsOfEveryScript) {
  EXPECT_THAT(words_of("a\u0663 \u0663a ab\uff11 \uff11ab \u0967\u0915 \u0915\u0967"), IsEmpty());
  EXPECT_THAT(words_of("\U0001d7d8abc abc\U0001d7d8"), IsEmpty());
  // These are numbers, but no decimal digits: a footnote takes no word away.
  EXPECT_THAT(words_of("word\u00b9 \u00bdx \u2167x"), ElementsAre("word", "x", "x"));
  // The last two bytes of a digit are none.
  EXPECT_THAT(words_of("\xd9\xa3\xa3"
                       "abc \xa3"
                       "def"),
              ElementsAre("abc", "def"));
}

// Without blanks, neighbours need not belong together.
TEST(WordSplitter, SegmentsNextToDigits) {
  EXPECT_EQ(joined("2024\u5e741\u6708\u4e16\u754c", "|"), "\u5e74|\u6708|\u4e16\u754c");
  EXPECT_THAT(words_of("\u4e16\u754cmp3 4\u4e16\u754cabc"),
              ElementsAre("\u4e16\u754c", "\u4e16\u754c", "abc"));
}

TEST(WordSplitter, FindsDigitsBeyondTheBordersOfBlocks) {
  for (size_t before = 50; before < 80; ++before) {
    const std::string blanks(before, ' ');
    for (const std::string digit : {"4", "\u0663"}) {
      EXPECT_THAT(words_of(blanks + digit + "th end"), ElementsAre("end"));
      EXPECT_THAT(words_of(blanks + "word" + digit + " end"), ElementsAre("end"));
      EXPECT_THAT(words_of(blanks + "\u00fcber" + digit + "\u00fcber end"), ElementsAre("end"));
      EXPECT_THAT(words_of(blanks + digit), IsEmpty());
      EXPECT_THAT(words_of(blanks + digit + " word"), ElementsAre("word"));
    }
  }
}

TEST(WordSplitter, FindsNothingWhereThereAreNoLetters) {
  EXPECT_THAT(split(""), IsEmpty());
  EXPECT_THAT(split(" \t\n"), IsEmpty());
  EXPECT_THAT(split("123 -- ' \u2019 \u00ad \u0301 \u2014 \u20ac \U0001F600"), IsEmpty());
  EXPECT_THAT(split(std::string_view("\0\0", 2)), IsEmpty());
  EXPECT_THAT(split(std::string(1000, '.')), IsEmpty());
}

TEST(WordSplitter, GivesOffsets) {
  const auto words = split("  one \u00c4pfel, don't \u4e16\u754c x");
  ASSERT_EQ(words.size(), 5u);
  EXPECT_EQ(words[0], (Word{"one", 2}));
  EXPECT_EQ(words[1], (Word{"\u00e4pfel", 6}));
  EXPECT_EQ(words[2], (Word{"dont", 14}));
  EXPECT_EQ(words[3], (Word{"\u4e16\u754c", 20}));
  EXPECT_EQ(words[4], (Word{"x", 27}));
}

TEST(WordSplitter, RemovesApostrophesAndInvisibleJoiners) {
  EXPECT_THAT(words_of("don't it\u2019s O'Reilly's rock'n'roll"),
              ElementsAre("dont", "its", "oreillys", "rocknroll"));
  EXPECT_THAT(words_of("'quoted' users' 'tis a'' b"),
              ElementsAre("quoted", "users", "tis", "a", "b"));
  EXPECT_THAT(words_of("hy\u00adphen\u00adation \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
              ElementsAre("hyphenation", "\u0645\u06cc\u062e\u0648\u0627\u0647\u0645"));
  EXPECT_THAT(words_of("l'"), ElementsAre("l"));
}

TEST(WordSplitter, SeparatesElidedArticles) {
  EXPECT_THAT(words_of("L'eau qu'il n\u2019\u00e9tait, aujourd'hui d'y"),
              ElementsAre("l", "eau", "qu", "il", "n", "\u00e9tait", "aujourdhui", "d", "y"));
  EXPECT_THAT(words_of("dell'acqua un'altra"), ElementsAre("dell", "acqua", "un", "altra"));
  EXPECT_THAT(words_of("T's and D's l'st"), ElementsAre("ts", "and", "ds", "l", "st"));
}

TEST(WordSplitter, LowersLettersOfAllScripts) {
  EXPECT_THAT(words_of("\u00c4RGER Stra\u00dfe \u00c9T\u00c9"),
              ElementsAre("\u00e4rger", "stra\u00dfe", "\u00e9t\u00e9"));
  EXPECT_THAT(words_of("\u039f\u03b4\u03cc\u03c2 \u0391\u0398\u0397\u039d\u0391"),
              ElementsAre("\u03bf\u03b4\u03cc\u03c2", "\u03b1\u03b8\u03b7\u03bd\u03b1"));
  EXPECT_THAT(words_of("\u041c\u043e\u0441\u043a\u0432\u0410"),
              ElementsAre("\u043c\u043e\u0441\u043a\u0432\u0430"));
  EXPECT_THAT(words_of("\ud55c\uad6d\uc5b4 \ubb38\uc11c"),
              ElementsAre("\ud55c\uad6d\uc5b4", "\ubb38\uc11c"));
  EXPECT_THAT(words_of("\U00010400\U00010428"), ElementsAre("\U00010428\U00010428"));
}

TEST(WordSplitter, ComposesMarks) {
  EXPECT_THAT(words_of("e\u0301te\u0301 u\u0308ber"), ElementsAre("\u00e9t\u00e9", "\u00fcber"));
  EXPECT_THAT(words_of("\u0939\u093f\u0928\u094d\u0926\u0940"),
              ElementsAre("\u0939\u093f\u0928\u094d\u0926\u0940"));
}

TEST(WordSplitter, SegmentsScriptsWithoutBlanks) {
  EXPECT_EQ(joined("\u6211\u4eec\u5728\u5317\u4eac\u5927\u5b66\u5b66\u4e60\u3002", "|"),
            "\u6211\u4eec|\u5728|\u5317\u4eac|\u5927\u5b66|\u5b66\u4e60");
  EXPECT_EQ(joined("\u79c1\u306f\u30b3\u30f3\u30d4\u30e5\u30fc\u30bf\u30fc\u304c\u597d\u304d", "|"),
            "\u79c1|\u306f|\u30b3\u30f3\u30d4\u30e5\u30fc\u30bf\u30fc|\u304c|\u597d\u304d");
  EXPECT_EQ(joined("\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22\u0e2a\u0e27\u0e22", "|"),
            "\u0e20\u0e32\u0e29\u0e32|\u0e44\u0e17\u0e22|\u0e2a\u0e27\u0e22");
  EXPECT_THAT(words_of("iPhone\u306f\u65b0"), ElementsAre("iphone", "\u306f", "\u65b0"));
  EXPECT_THAT(words_of("\u4e16\u754cabc"), ElementsAre("\u4e16\u754c", "abc"));
}

TEST(WordSplitter, BoundsLongRuns) {
  std::string han;
  for (int i = 0; i < 10000; ++i) han += "\u4e16\u754c";
  size_t bytes = 0;
  for (const auto& word : split(han)) bytes += word.text.size();
  EXPECT_EQ(bytes, han.size());
}

TEST(WordSplitter, PassesOverLongWords) {
  for (const size_t before : {0, 1, 5, 63, 64, 65}) {
    const std::string blanks(before, ' ');
    EXPECT_THAT(words_of(blanks + std::string(64, 'X') + " y"),
                ElementsAre(std::string(64, 'x'), "y"));
    EXPECT_THAT(words_of(blanks + std::string(65, 'x') + " y"), ElementsAre("y"));
    EXPECT_THAT(words_of(blanks + std::string(1000, 'x') + " y"), ElementsAre("y"));
  }
  for (const std::string letter : {"\u00fc", "\u0ba4", "\u10d0", "\U00010428", "\ub144"}) {
    std::string word;
    for (size_t i = 0; i < WordSplitter::max_word_letters; ++i) word += letter;
    EXPECT_THAT(words_of(word + " y"), ElementsAre(word, "y"));
    EXPECT_THAT(words_of(word + letter + " y"), ElementsAre("y"));
  }
}

// Everyday words: Tamil, Telugu, Kannada.
TEST(WordSplitter, KeepsWordsOfMoreThan64Bytes) {
  for (const std::string word :
       {"\u0b9a\u0bc6\u0baf\u0bcd\u0ba4\u0bc1\u0b95\u0bca\u0ba3\u0bcd\u0b9f\u0bbf\u0bb0\u0bc1"
        "\u0b95\u0bcd\u0b95\u0bbf\u0bb1\u0bbe\u0bb0\u0bcd\u0b95\u0bb3\u0bcd",
        "\u0c1a\u0c47\u0c38\u0c4d\u0c24\u0c41\u0c28\u0c4d\u0c28\u0c3e\u0c30\u0c28\u0c41\u0c15"
        "\u0c41\u0c02\u0c1f\u0c41\u0c28\u0c4d\u0c28\u0c3e\u0c28\u0c41"}) {
    EXPECT_GT(word.size(), 64u);
    EXPECT_THAT(words_of(word), ElementsAre(word));
  }
}

TEST(WordSplitter, CountsLongWords) {
  WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  const std::string text = std::string(65, 'x') + " y " + std::string(2000, 'z');
  splitter.reset(text);
  while (splitter.next(word, offset)) continue;
  EXPECT_EQ(splitter.long_words(), 2u);
  splitter.reset("y");
  EXPECT_EQ(splitter.long_words(), 0u);
}

TEST(WordSplitter, FoldsCompatibilityForms) {
  EXPECT_THAT(words_of("\uff26\uff55\uff4c\uff4c o\ufb03ce \U0001d400b \u017fo"),
              ElementsAre("full", "office", "ab", "so"));
  EXPECT_THAT(words_of("\ufefb"), ElementsAre("\u0644\u0627"));  // lam with alef
  EXPECT_EQ(joined("\uff76\uff9e\uff72\uff84\uff9e", ""), "\u30ac\u30a4\u30c9");
  EXPECT_EQ(joined("\u304b\u3099", ""), "\u304c");
  EXPECT_THAT(words_of("\u1112\u1161\u11ab"), ElementsAre("\ud55c"));
}

// The twin folds the whole text. The ligature of Armenian stays, and letters that stand for
// something with a blank or a point.
TEST(WordSplitter, FoldsEveryLetterAsItsCompatibilityForm) {
  const LetterTable& letters = LetterTable::instance();
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const nfkc = icu::Normalizer2::getNFKCInstance(error);
  ASSERT_TRUE(U_SUCCESS(error));
  for (char32_t c = 0x80; c < 0x110000; ++c) {
    if (letters[c].kind != LetterKind::letter || c == 0x587) continue;
    icu::UnicodeString text(u"x");
    text.append(static_cast<UChar32>(letters[c].lower)).append(u'x');
    std::string folded;
    nfkc->normalize(text, error).toUTF8String(folded);
    std::string written;
    text.toUTF8String(written);
    const std::vector<std::string> twin = words_of(folded);
    if (twin.size() != 1) continue;
    EXPECT_EQ(words_of(written), twin) << static_cast<uint32_t>(c);
  }
}

TEST(WordSplitter, OrdersMarks) {
  EXPECT_THAT(words_of("\u00ea\u0323 e\u0302\u0323 e\u0323\u0302"),
              ElementsAre("\u1ec7", "\u1ec7", "\u1ec7"));
}

TEST(WordSplitter, RemovesWhatNobodySees) {
  EXPECT_THAT(words_of("fox\u200btrot a\u2060b c\ufeff"
                       "d e\u200ef"),
              ElementsAre("foxtrot", "ab", "cd", "ef"));
  EXPECT_THAT(words_of("ti\u200b\u1ebfng \u0915\u200b\u0916"),
              ElementsAre("ti\u1ebfng", "\u0915", "\u0916"));
}

TEST(WordSplitter, TakesBytesThatAreNoUtf8ForSeparators) {
  EXPECT_THAT(words_of("a\xff"
                       "b\xc3 c\xe4\xb8"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_of("\xed\xa0\x80"
                       "d \xf5\x80\x80\x80 \xc0\x80"),
              ElementsAre("d"));
}

TEST(WordSplitter, StartsAnewOnReset) {
  WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  EXPECT_FALSE(splitter.next(word, offset));
  splitter.reset("\u4e16\u754c\u548c\u5e73 abc");
  ASSERT_TRUE(splitter.next(word, offset));
  splitter.reset("xyz");
  WordSplitter moved = std::move(splitter);
  ASSERT_TRUE(moved.next(word, offset));
  EXPECT_EQ(word, "xyz");
  EXPECT_EQ(offset, 0u);
  EXPECT_FALSE(moved.next(word, offset));
  EXPECT_FALSE(moved.next(word, offset));
}

// The slow twin, for texts without scripts that are segmented and without marks: code point by
// code point, all of it decoded first.
struct Unit {
  LetterKind kind;
  char32_t lower;
  bool is_digit;
  uint32_t offset;
};

std::vector<Unit> units_of(std::string_view text) {
  std::vector<Unit> units;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    const Letter letter = LetterTable::instance()[c.value];
    const bool is_digit = u_charType(static_cast<UChar32>(c.value)) == U_DECIMAL_DIGIT_NUMBER;
    units.push_back({letter.kind, letter.lower, is_digit, static_cast<uint32_t>(at)});
    at += c.size;
  }
  return units;
}

std::vector<Word> split_slowly(std::string_view text) {
  const std::vector<Unit> units = units_of(text);
  const auto is_letter = [&](size_t i) {
    return i < units.size() && units[i].kind == LetterKind::letter;
  };
  const auto is_digit = [&](size_t i) { return i < units.size() && units[i].is_digit; };
  std::vector<Word> words;
  for (size_t i = 0; i < units.size(); ++i) {
    if (!is_letter(i)) continue;
    Word word{"", units[i].offset};
    size_t letters = 0;
    bool is_at_digit = i > 0 && is_digit(i - 1);
    for (;; ++i) {
      if (is_letter(i)) {
        std::array<char, 4> bytes;
        ++letters;
        word.text.append(bytes.data(), encode_utf8(units[i].lower, bytes.data()));
      } else if (i >= units.size() || units[i].kind != LetterKind::joiner || !is_letter(i + 1)) {
        break;
      }
    }
    is_at_digit = is_at_digit || is_digit(i);
    if (letters <= WordSplitter::max_word_letters && !is_at_digit) words.push_back(word);
  }
  return words;
}

RC_GTEST_PROP(WordSplitterProperty, AgreesWithTheSlowTwin, ()) {
  const auto token = rc::gen::element<std::string>(
      "a", "Be", "word", "LongerWord", " ", "  ", ".", "-", "1", "42", "4th", "\u0663", "\uff11",
      "\u10d0\u10d1\u10d2", "\u00b2", "\u00e4", "\u00dc", "\u0416", "\u03a9", "\u2014", "\u00a0",
      "\xff", "\xc3", "\xa3", "x\u00ady", "ab\u2019cd", "he'll", "'", "\ud55c",
      "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", "          ");
  std::string text;
  for (const auto& part : *rc::gen::container<std::vector<std::string>>(token)) text += part;
  // Elisions are for the tests above.
  for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos;) {
    text.insert(at, "hee");
    at += 4;
  }
  RC_ASSERT(split(text) == split_slowly(text));
}

RC_GTEST_PROP(WordSplitterProperty, AnyBytesGiveWordsInOrder, (const std::string& text)) {
  uint32_t next = 0;
  for (const auto& word : split(text)) {
    RC_ASSERT(!word.text.empty());
    RC_ASSERT(word.text.size() <= 4 * WordSplitter::max_word_letters);
    RC_ASSERT(word.offset >= next);
    RC_ASSERT(word.offset < text.size());
    next = word.offset + 1;
  }
}

}  // namespace
}  // namespace kith::text
