#include "bags/vocabulary/word_memo.h"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "bags/vocabulary/vocabulary.h"

namespace kith::bags {
namespace {

// Twin: std::map.
RC_GTEST_PROP(WordMemo, CountsLikeAMap, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab\0\xff", 4)))));
  WordMemo memo;
  std::map<std::string, uint64_t> expected;
  for (const std::string& word : words) {
    if (word.size() > WordMemo::longest) continue;
    ++memo[WordMemo::key_of(word)].count;
    ++expected[word];
  }
  std::map<std::string, uint64_t> found;
  memo.for_each(
      [&](const WordMemo::Entry& entry) { found[std::string(entry.word())] = entry.count; });
  RC_ASSERT(found == expected);
}

TEST(WordMemo, HoldsMoreThanItBeganWith) {
  WordMemo memo;
  for (uint32_t i = 0; i < 100'000; ++i) memo[WordMemo::key_of("w" + std::to_string(i))].term = i;
  for (uint32_t i = 0; i < 100'000; ++i)
    EXPECT_EQ(memo[WordMemo::key_of("w" + std::to_string(i))].term, i);
}

std::vector<uint32_t> read(TermReader& reader, text::Language language, std::string_view text) {
  text::WordSplitter words;
  words.reset(text);
  std::vector<uint32_t> terms;
  std::vector<uint32_t> offsets;
  reader.read(language, words, terms, offsets);
  EXPECT_EQ(terms.size(), offsets.size());
  return terms;
}

TEST(TermReader, CountsFormsOfAStemAndPassesOverStopWords) {
  Vocabulary vocabulary;
  TermReader reader(vocabulary);
  const std::string long_word = "internationalizations";
  const auto english = read(reader, text::Language::english,
                            "libraries library the " + long_word + " Library " + long_word);
  ASSERT_EQ(english.size(), 6u);
  const uint32_t term = english[0];
  EXPECT_EQ(english, (std::vector<uint32_t>{term, term, no_term, english[3], term, english[3]}));
  EXPECT_EQ(read(reader, text::Language::german, "the und"),
            (std::vector<uint32_t>{no_term, no_term}));
  EXPECT_EQ(vocabulary.stems().at(term), "librari");
  std::map<std::string, uint64_t> counts;
  for (const SurfaceCount& form : reader.surfaces()) counts[std::string(form.word)] = form.count;
  EXPECT_EQ(counts,
            (std::map<std::string, uint64_t>{{"libraries", 1}, {"library", 2}, {long_word, 2}}));
}

// Longer than any batch of words, with long words in between, and with more words than the memo
// begins with: every term must stand at the place of its word.
TEST(TermReader, KeepsThePlacesOfWords) {
  const auto word_of = [](uint32_t i) {
    std::string word = i % 7 == 0 ? "averyveryverylongword" : "q";
    for (; i > 0; i /= 20) word.push_back("bcdfghjklmnpqrtvwxzk"[i % 20]);
    return word + "k";
  };
  std::string text;
  for (uint32_t i = 0; i < 20'000; ++i) text += word_of(i % 9'000) + " ";
  Vocabulary vocabulary;
  TermReader reader(vocabulary);
  const auto terms = read(reader, text::Language::other, text);
  ASSERT_EQ(terms.size(), 20'000u);
  const auto stems = vocabulary.stems();
  for (uint32_t i = 0; i < 20'000; ++i) ASSERT_EQ(stems[terms[i]], word_of(i % 9'000));
}

}  // namespace
}  // namespace kith::bags
