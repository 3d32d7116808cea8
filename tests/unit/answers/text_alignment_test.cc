#include "answers/text_alignment.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace kith::answers {
namespace {

text::ShingleOptions width_of(uint32_t width) {
  text::ShingleOptions options;
  options.width = width;
  return options;
}

// Words of a made-up alphabet: "wa wb wc".
std::string words_of(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (uint32_t number : numbers) {
    text += "w";
    do {
      text += static_cast<char>('a' + number % 26);
      number /= 26;
    } while (number > 0);
    text += ' ';
  }
  return text;
}

std::vector<uint32_t> random_numbers(Rng& rng, size_t size, uint32_t alphabet) {
  std::vector<uint32_t> numbers(size);
  for (uint32_t& number : numbers) number = static_cast<uint32_t>(rng() % alphabet);
  return numbers;
}

// A copy with pieces cut out, put in, moved and changed.
std::vector<uint32_t> edited(Rng& rng, std::vector<uint32_t> numbers, uint32_t alphabet) {
  for (int edit = 0; edit < 4 && numbers.size() > 8; ++edit) {
    const auto at = static_cast<ptrdiff_t>(rng() % (numbers.size() - 7));
    const std::vector<uint32_t> piece(numbers.begin() + at, numbers.begin() + at + 7);
    const std::vector<uint32_t> fresh = random_numbers(rng, 3, alphabet);
    if (edit != 1) numbers.erase(numbers.begin() + at, numbers.begin() + at + 7);
    const auto to = static_cast<ptrdiff_t>(rng() % (numbers.size() + 1));
    const std::vector<uint32_t>& put = edit == 0 ? piece : fresh;
    numbers.insert(numbers.begin() + to, put.begin(), put.end());
  }
  return numbers;
}

size_t longest_common_subsequence(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<size_t> row(b.size() + 1, 0);
  for (const uint32_t x : a) {
    size_t diagonal = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = x == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

// The tokens that some shingle covers which the other text has as well, by definition.
std::vector<bool> covered_tokens(const ShingledText& text, const ShingledText& other) {
  const std::set<uint64_t> shingles(other.shingles.begin(), other.shingles.end());
  std::vector<bool> covered(text.tokens.size(), false);
  for (size_t k = 0; k < text.shingles.size(); ++k) {
    if (!shingles.contains(text.shingles[k])) continue;
    for (size_t i = k; i < k + text.width(); ++i) covered[i] = true;
  }
  return covered;
}

TEST(TextAlignment, EqualTextsAreOneRun) {
  const ShingledText text = shingle_text("a rose is a rose is a rose", width_of(4));
  EXPECT_EQ(align(text, text), (std::vector<AlignedRun>{{0, 0, 8}}));
}

TEST(TextAlignment, StrangersHaveNone) {
  const ShingledText a = shingle_text("one two three", width_of(1));
  const ShingledText b = shingle_text("four five", width_of(1));
  EXPECT_TRUE(align(a, b).empty());
}

TEST(TextAlignment, ShortTextsMeetWhenTheyAreEqual) {
  const ShingledText a = shingle_text("one two", width_of(5));
  const ShingledText b = shingle_text("one two three four five six", width_of(5));
  EXPECT_EQ(align(a, shingle_text("One, two!", width_of(5))), (std::vector<AlignedRun>{{0, 0, 2}}));
  EXPECT_TRUE(align(a, b).empty());
  EXPECT_TRUE(align(b, a).empty());
}

// Where every word occurs once in a text and shingles are words, the longest chain of anchors is
// the longest common subsequence.
TEST(TextAlignment, PermutationsGiveTheLongestCommonSubsequence) {
  Rng rng(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<uint32_t> a(1 + rng() % 40);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint32_t>(i);
    std::vector<uint32_t> b = a;
    for (size_t i = b.size(); i > 1; --i) std::swap(b[i - 1], b[rng() % i]);
    size_t aligned = 0;
    for (const AlignedRun& run :
         align(shingle_text(words_of(a), width_of(1)), shingle_text(words_of(b), width_of(1)))) {
      aligned += run.size;
    }
    EXPECT_EQ(aligned, longest_common_subsequence(a, b));
  }
}

TEST(TextAlignment, RunsAscendAndAreEqualTokens) {
  Rng rng(2);
  for (int round = 0; round < 400; ++round) {
    const uint32_t alphabet = round % 2 == 0 ? 3 : 400;
    const auto numbers = random_numbers(rng, 1 + rng() % 120, alphabet);
    const auto width = static_cast<uint32_t>(1 + rng() % 6);
    const ShingledText a = shingle_text(words_of(numbers), width_of(width));
    const ShingledText b = shingle_text(words_of(edited(rng, numbers, alphabet)), width_of(width));
    size_t a_end = 0;
    size_t b_end = 0;
    for (const AlignedRun& run : align(a, b)) {
      ASSERT_TRUE(run.size > 0 && run.a >= a_end && run.b >= b_end);
      ASSERT_TRUE(a_end == 0 || run.a > a_end || run.b > b_end) << "two runs that are one";
      a_end = run.a + run.size;
      b_end = run.b + run.size;
      ASSERT_TRUE(a_end <= a.tokens.size() && b_end <= b.tokens.size());
      for (size_t i = 0; i < run.size; ++i) ASSERT_EQ(a.tokens[run.a + i], b.tokens[run.b + i]);
    }
  }
}

// The passages of a side, which must cover the text and be of the kinds that shingles say.
void check_side(const std::vector<Passage>& passages, const ShingledText& text,
                const ShingledText& other, bool of_b) {
  const std::vector<bool> covered = covered_tokens(text, other);
  const PassageKind only = of_b ? PassageKind::only_b : PassageKind::only_a;
  const PassageKind elsewhere = of_b ? PassageKind::elsewhere_b : PassageKind::elsewhere_a;
  uint64_t byte = 0;
  size_t token = 0;
  for (const Passage& passage : passages) {
    const bool mine =
        passage.kind == PassageKind::shared || passage.kind == only || passage.kind == elsewhere;
    const TextRange& range = of_b ? passage.b : passage.a;
    if (!mine) {
      ASSERT_TRUE(range.tokens == 0 && range.begin == range.end && range.end <= text.bytes);
      continue;
    }
    ASSERT_EQ(range.begin, byte);
    ASSERT_LE(range.begin, range.end);
    ASSERT_GT(range.tokens, 0u);
    byte = range.end;
    for (size_t i = 0; i < range.tokens; ++i, ++token) {
      if (passage.kind != PassageKind::shared) {
        ASSERT_EQ(covered[token], passage.kind == elsewhere);
      }
    }
  }
  ASSERT_EQ(byte, text.bytes);
  ASSERT_EQ(token, text.tokens.size());
}

TEST(TextAlignment, PassagesCoverBothTexts) {
  Rng rng(3);
  for (int round = 0; round < 400; ++round) {
    const uint32_t alphabet = round % 2 == 0 ? 4 : 400;
    const auto numbers = random_numbers(rng, 1 + rng() % 120, alphabet);
    text::ShingleOptions options = width_of(static_cast<uint32_t>(1 + rng() % 6));
    options.tokens.normalize = rng() % 2 == 0;
    if (rng() % 2 == 0) options.tokens.unit = text::TokenUnit::characters;
    const ShingledText a = shingle_text("  " + words_of(numbers), options);
    const ShingledText b = shingle_text(words_of(edited(rng, numbers, alphabet)) + ". ", options);
    const std::vector<Passage> passages = passages_of(a, b);
    check_side(passages, a, b, false);
    check_side(passages, b, a, true);
  }
}

TEST(TextAlignment, AMovedPassageIsElsewhere) {
  const std::string a = "one two three four five six seven eight nine ten";
  const std::string b = "eight nine ten one two three four five six seven";
  const ShingledText x = shingle_text(a, width_of(2));
  const ShingledText y = shingle_text(b, width_of(2));
  const std::vector<Passage> passages = passages_of(x, y);
  ASSERT_EQ(passages.size(), 3u);
  EXPECT_EQ(passages[0].kind, PassageKind::elsewhere_b);
  EXPECT_EQ(b.substr(passages[0].b.begin, passages[0].b.end), "eight nine ten ");
  EXPECT_EQ(passages[0].a.begin, a.find("eight"));
  EXPECT_EQ(passages[1].kind, PassageKind::shared);
  EXPECT_EQ(passages[1].a.tokens, 7u);
  EXPECT_EQ(passages[2].kind, PassageKind::elsewhere_a);
  EXPECT_EQ(passages[2].b.begin, 0u);
}

// The characters of a word stand at places of their own, whole characters of UTF-8.
TEST(TextAlignment, CharactersAreCutOutOfWords) {
  text::ShingleOptions options = width_of(2);
  options.tokens.unit = text::TokenUnit::characters;
  const std::string a = "the col\xc3\xb6ur";
  const std::string b = "the col\xc3\xb6r";
  const ShingledText x = shingle_text(a, options);
  const ShingledText y = shingle_text(b, options);
  const std::vector<Passage> passages = passages_of(x, y);
  ASSERT_EQ(passages.size(), 3u);
  EXPECT_EQ(a.substr(0, passages[0].a.end), "the col\xc3\xb6");
  EXPECT_EQ(passages[1].kind, PassageKind::only_a);
  EXPECT_EQ(a.substr(passages[1].a.begin), "ur");
  EXPECT_EQ(b.substr(passages[2].b.begin), "r");
}

TEST(TextAlignment, ManyRepetitionsTakeNoQuadraticTime) {
  const std::vector<uint32_t> same(200'000, 1);
  const std::vector<uint32_t> fewer(150'000, 1);
  const ShingledText a = shingle_text(words_of(same), width_of(5));
  const ShingledText b = shingle_text(words_of(fewer), width_of(5));
  EXPECT_EQ(align(a, b), (std::vector<AlignedRun>{{0, 0, 150'000}}));
}

}  // namespace
}  // namespace kith::answers
