// Cuts between words and sentences.
#include "text/words/cuts.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "text/words/tokens.h"

namespace kith::text {
namespace {

// Where tokens begin, and the end of the text.
std::vector<uint64_t> places(std::string_view text) {
  const auto reader = make_token_reader({});
  reader->reset(text);
  std::array<uint64_t, 512> hashes;
  std::array<uint32_t, 512> offsets;
  const size_t count = reader->read({hashes, offsets});
  std::vector<uint64_t> places(offsets.begin(), offsets.begin() + static_cast<ptrdiff_t>(count));
  places.push_back(text.size());
  return places;
}

// What is cut of a text by a range of tokens, between words or sentences.
std::string cut(std::string_view text, size_t begin, size_t end, bool sentences = false) {
  const auto at = places(text);
  TextCuts cuts(sentences);
  std::string out;
  for (const ByteRange& range : cuts.between_words(text, {{at[begin], at[end]}})) {
    out += text.substr(range.begin, range.end - range.begin);
  }
  return out;
}

TEST(TextCuts, TakeWholeWords) {
  EXPECT_EQ(cut("one two three four", 1, 3), "two three ");
  EXPECT_EQ(cut("one two three four", 0, 4), "one two three four");
  // Words that are joined by a sign stay, or go, together.
  EXPECT_EQ(cut("one two-three four-five six", 2, 4), "");
  EXPECT_EQ(cut("one two-three four-five six", 1, 4), "two-three ");
  EXPECT_EQ(cut("one two-three four-five six", 2, 5), "four-five ");
  // Punctuation goes with the word that it touches.
  EXPECT_EQ(cut("one (two \"three\") \"four\" five", 1, 3), "(two \"three\") ");
  EXPECT_EQ(cut("one, two, three.", 1, 2), "two, ");
  EXPECT_EQ(cut("\"one\" two", 0, 1), "\"one\" ");
}

TEST(TextCuts, AskIcuWhereThereAreNoBlanks) {
  // Five letters of which the first two, and the next three, are a word.
  const std::string thai = "ภาษาไทย";  // language, Thai
  const size_t tokens = places(thai).size() - 1;
  ASSERT_GE(tokens, 5u);
  for (size_t begin = 0; begin < tokens; ++begin) {
    const std::string some = cut(thai, begin, tokens);
    EXPECT_TRUE(some == thai || some == "ไทย" || some.empty()) << begin << ": " << some;
  }
  EXPECT_EQ(cut("東京都 に 行く。京都", 0, 3), "東京都 ");
  EXPECT_EQ(cut("abc漢字 def", 1, 3), "漢字 ");
}

TEST(TextCuts, TakeWholeSentences) {
  const std::string text = "First one here. Second one is here. Third one.\nA line without end";
  EXPECT_EQ(cut(text, 1, 9, true), "Second one is here. Third one.\n");
  EXPECT_EQ(cut(text, 1, 6, true), "");
  EXPECT_EQ(cut(text, 3, 7, true), "Second one is here. ");
  EXPECT_EQ(cut(text, 9, 13, true), "A line without end");
  EXPECT_EQ(cut(text, 0, 13, true), text);
}

// Whatever the bytes are, a cut is inside its range and never inside a code point.
TEST(TextCuts, NeverCutCodePoints) {
  const std::string text = "aé日本語 ä\xcc\x88 \xff\xfe ไทย 🏠🏠 e\xcc\x81—f\xe2\x80\x8bg  x";
  const auto at = places(text);
  for (const bool sentences : {false, true}) {
    TextCuts cuts(sentences);
    for (size_t begin = 0; begin < at.size(); ++begin) {
      for (size_t end = begin + 1; end < at.size(); ++end) {
        for (const ByteRange& range : cuts.between_words(text, {{at[begin], at[end]}})) {
          EXPECT_LT(range.begin, range.end);
          EXPECT_LE(range.end, at[end]);
          for (const uint64_t place : {range.begin, range.end}) {
            if (place == text.size()) continue;
            EXPECT_NE(static_cast<uint8_t>(text[place]) & 0xc0, 0x80) << begin << " " << end;
          }
        }
      }
    }
  }
}

TEST(TextCuts, JoinWhatTouches) {
  TextCuts cuts(false);
  const std::vector<ByteRange> both{{0, 4}, {4, 8}};
  EXPECT_EQ(cuts.between_words("one two three", both), (std::vector<ByteRange>{{0, 8}}));
  EXPECT_TRUE(cuts.between_words("one two three", {}).empty());
}

}  // namespace
}  // namespace kith::text
