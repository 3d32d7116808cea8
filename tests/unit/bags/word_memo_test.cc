#include "bags/word_memo.h"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "bags/vocabulary.h"

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
    ++memo[word].count;
    ++expected[word];
  }
  std::map<std::string, uint64_t> found;
  memo.for_each(
      [&](const WordMemo::Entry& entry) { found[std::string(entry.word())] = entry.count; });
  RC_ASSERT(found == expected);
}

TEST(WordMemo, HoldsMoreThanItBeganWith) {
  WordMemo memo;
  for (uint32_t i = 0; i < 100'000; ++i) memo["w" + std::to_string(i)].term = i;
  for (uint32_t i = 0; i < 100'000; ++i) EXPECT_EQ(memo["w" + std::to_string(i)].term, i);
}

TEST(TermReader, CountsFormsOfAStemAndPassesOverStopWords) {
  Vocabulary vocabulary;
  TermReader reader(vocabulary);
  using text::Language;
  const uint32_t term = reader.term_of(Language::english, "libraries");
  EXPECT_EQ(reader.term_of(Language::english, "library"), term);
  EXPECT_EQ(reader.term_of(Language::english, "library"), term);
  EXPECT_EQ(reader.term_of(Language::english, "the"), no_term);
  EXPECT_EQ(reader.term_of(Language::german, "the"), no_term);
  EXPECT_EQ(reader.term_of(Language::german, "und"), no_term);
  const std::string long_word = "internationalizations";
  EXPECT_EQ(reader.term_of(Language::english, long_word),
            reader.term_of(Language::english, long_word));
  EXPECT_EQ(vocabulary.stems().at(term), "librari");
  std::map<std::string, uint64_t> counts;
  for (const SurfaceCount& form : reader.surfaces()) counts[std::string(form.word)] = form.count;
  EXPECT_EQ(counts,
            (std::map<std::string, uint64_t>{{"libraries", 1}, {"library", 2}, {long_word, 2}}));
}

}  // namespace
}  // namespace kith::bags
