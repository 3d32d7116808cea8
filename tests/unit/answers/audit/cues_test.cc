#include "answers/audit/cues.h"

#include <gtest/gtest.h>

#include "answers/audit/cue_table.h"
#include "text/words/tokens.h"

namespace kith::answers {
namespace {

std::string folded(std::string_view text) {
  std::string all;
  bool was_unspaced = false;
  text::TokenSplitter splitter(Numbers::keep);
  splitter.reset(text);
  for (text::Token token; splitter.next(token); was_unspaced = token.unspaced) {
    append_folded(token.text, token.unspaced, was_unspaced, all);
  }
  return all + " ";
}

bool claims(std::string_view text, Claim claim, bool is_title = false) {
  return CueFinder::instance().find(folded(text), is_title)[claim];
}

// The slow twin: every cue is looked for by itself.
uint32_t cues_by_search(std::string_view text) {
  uint32_t found = 0;
  for (const CueRow& row : cue_table) {
    std::string_view rest = row.words;
    while (!rest.empty()) {
      const size_t size = std::min(rest.find('|'), rest.size());
      std::string cue(rest.substr(0, size));
      rest.remove_prefix(std::min(size + 1, rest.size()));
      const bool is_prefix = cue.ends_with('*');
      if (is_prefix) cue.pop_back();
      std::string words = folded(cue);
      size_t last = cue.size() - 1;
      while ((static_cast<uint8_t>(cue[last]) & 0xc0) == 0x80) --last;
      const bool is_unspaced = static_cast<uint8_t>(cue[last]) >= 0xe3;  // of the Far East
      if (is_prefix || is_unspaced) words.pop_back();
      if (is_unspaced) words.erase(0, 1);
      if (text.find(words) != std::string_view::npos) found |= row.cue;
    }
  }
  return found;
}

TEST(Cues, AClaimNeedsTwoPartsNearEachOther) {
  EXPECT_TRUE(claims("Sorry, that document could not be found.", Claim::missing));
  EXPECT_FALSE(claims("Sorry, that document is long.", Claim::missing));
  EXPECT_FALSE(claims("could not be found", Claim::missing));
  EXPECT_TRUE(claims("could not be found", Claim::missing, true));
  const std::string far(150, 'x');
  EXPECT_FALSE(claims("The document " + far + " could not be found", Claim::missing));
}

TEST(Cues, AreWholeWordsUnlessTheyAreMarked) {
  EXPECT_TRUE(claims("Cookies: accept", Claim::consent));
  EXPECT_FALSE(claims("cook: accept", Claim::consent));
  EXPECT_FALSE(claims("_SIDD_SBYTE_OPS in core", Claim::missing, true));
}

TEST(Cues, AreOfManyLanguages) {
  EXPECT_TRUE(claims("Diese Datei wurde gelöscht.", Claim::missing));
  EXPECT_TRUE(claims("Veuillez vous connecter", Claim::login));
  EXPECT_TRUE(claims("¿Acepta las cookies?", Claim::consent));
  EXPECT_TRUE(claims("お探しのページは存在しません。", Claim::missing));
  EXPECT_TRUE(claims("Подтвердите, что вы не робот", Claim::robots));
  EXPECT_TRUE(claims("该域名正在出售", Claim::for_sale));
  EXPECT_TRUE(claims("É necessário ativar o JavaScript", Claim::scripts));
}

TEST(Cues, EveryCueIsFoundByTheAutomaton) {
  for (const CueRow& row : cue_table) {
    std::string_view rest = row.words;
    while (!rest.empty()) {
      const size_t size = std::min(rest.find('|'), rest.size());
      std::string cue(rest.substr(0, size));
      rest.remove_prefix(std::min(size + 1, rest.size()));
      if (cue.ends_with('*')) cue.pop_back();
      EXPECT_NE(CueFinder::instance().cues_in(folded(cue)) & row.cue, 0u) << cue;
    }
  }
}

TEST(Cues, TheAutomatonFindsWhatASearchFinds) {
  const std::string_view texts[] = {
      "Sorry, the page you want has been removed. Log in or go home.",
      "Die Seite wurde nicht gefunden. Bitte aktivieren Sie JavaScript.",
      "ページが見つかりません。ログインしてください。",
      "Этот домен продаётся. Примите файлы cookie.",
      "nothing of that kind is in here at all",
      ""};
  for (const std::string_view text : texts) {
    EXPECT_EQ(CueFinder::instance().cues_in(folded(text)), cues_by_search(folded(text))) << text;
  }
}

}  // namespace
}  // namespace kith::answers
