#include "text/words/quality.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace kith::text {
namespace {

const std::vector<std::string> texts = {
    "The river rises in the hills north of the town. Its water is cold, even in summer! Nobody "
    "knows "
    "how deep the lake behind the mill is.",
    "Der Fluss entspringt in den Hügeln nördlich der Stadt. Sein Wasser ist selbst im Sommer kühl. "
    "Niemand weiß, wie tief der See hinter der Mühle ist.",
    "La rivière prend sa source dans les collines. L'eau est froide, même en été. Où mène le "
    "sentier "
    "derrière le moulin ?",
    "Река берёт начало в холмах к северу от города. Вода в ней холодна даже летом. Никто не знает, "
    "как глубоко озеро за мельницей.",
    "这条河发源于城北的山丘。河水即使在夏天也很凉。没有人知道磨坊后面的湖有多深。"};

int64_t score(std::string_view text) {
  return text_quality(text).score();
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(TextQuality, CountsWhatATextHolds) {
  const TextQuality quality = text_quality("Two words. See http://a.test/b, v2 of x2y.");
  EXPECT_EQ(quality.words, 5);  // Two words See v2 of
  EXPECT_EQ(quality.letters, 14);
  EXPECT_EQ(quality.others, 20);  // the link and x2y
  EXPECT_FALSE(quality.is_open);
  EXPECT_FALSE(quality.is_cut);
  EXPECT_EQ(text_quality("").score(), -50);
}

TEST(TextQuality, ATextThatIsCutIsWorse) {
  for (const std::string& text : texts) {
    EXPECT_LT(score(text.substr(0, text.rfind(' ') == std::string::npos ? 60 : text.rfind(' '))),
              score(text));
    const std::string first = text.substr(0, text.find(text.front() == '\xe8' ? "。" : ". ") + 3);
    EXPECT_LT(score(first), score(text));
    EXPECT_LT(score(text + " ..."), score(text));
    EXPECT_LT(score(text + " [\u2026]"), score(text));
    EXPECT_LT(score(text + " Read more"), score(text));
  }
}

TEST(TextQuality, ARepeatedSentenceIsWorse) {
  for (const std::string& text : texts) {
    EXPECT_LT(score(text + "\n" + text), score(text));
    EXPECT_EQ(text_quality(text + "\n" + text).repeated, 3);
  }
}

TEST(TextQuality, DamagedWordsAreWorse) {
  for (const std::string& text : texts) {
    const std::string_view letter = text.front() == '\xe8'   ? "夏"
                                    : text.front() == '\xd0' ? "л"
                                                             : "i";
    EXPECT_LT(score(replaced(text, letter, "\ufffd")), score(text));
    EXPECT_LT(score(replaced(text, letter, "<br>" + std::string(letter))), score(text));
    EXPECT_LT(score(replaced(text, letter, "&nbsp;" + std::string(letter))), score(text));
    EXPECT_LT(score(text + " #### ~~~"), score(text));
  }
  EXPECT_LT(score(replaced(texts[1], "Hügeln", "HÃ¼geln")), score(texts[1]));
  EXPECT_LT(score(replaced(texts[1], "Hügeln", "H?geln")), score(texts[1]));
  EXPECT_LT(score(replaced(texts[3], "Вода", "Р’РѕРґР°")), score(texts[3]));
  EXPECT_LT(score(replaced(texts[3], "Вода", "????")), score(texts[3]));
  EXPECT_LT(score(replaced(texts[0], "water", "w a t e r")), score(texts[0]));
  EXPECT_LT(score(replaced(texts[0], "rises in the hills", "risesinthehills")), score(texts[0]));
  EXPECT_LT(score(replaced(texts[0], "river", "r1ver")), score(texts[0]));
}

TEST(TextQuality, ProgramTextAndFillersAreNoProse) {
  EXPECT_EQ(text_quality("if (a) { return b; }").words, 0);
  EXPECT_EQ(text_quality("Please enable JavaScript here.").words, 0);
  EXPECT_EQ(text_quality("Lorem Ipsum dolor sit amet.").words, 0);
}

TEST(TextQuality, SoundWordsAreNotTakenForDamage) {
  for (const std::string_view text :
       {"Is it a café — or not?", "Ça coûte 5 € à Zürich…", "What? Why?", "R&B; rock & roll",
        "a < b and b > c", "I a m", "see /search?q=a", "Я и ты", "№ 5 — да"}) {
    EXPECT_EQ(text_quality(text).damaged, text == "I a m" ? 3 : 0) << text;
  }
}

}  // namespace
}  // namespace kith::text
