#include "text/words/terms.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "text/words/stop_words.h"

namespace kith::text {
namespace {

TEST(StopWords, EnglishHasAboutSevenHundredFifty) {
  for (const auto& list : stop_lists()) {
    if (list.language != Language::english) continue;
    const auto count = std::count(list.words.begin(), list.words.end(), ' ');
    EXPECT_GE(count, 700);
    EXPECT_LE(count, 800);
  }
}

TEST(StopWords, EnglishTakesWordsWithoutTopic) {
  for (const auto* word :
       {"the", "and", "dont", "youre", "because", "seventeen", "tuesday", "click", "homepage",
        "www", "http", "copyright", "next", "index", "a", "x"}) {
    EXPECT_TRUE(is_stop_word(Language::english, word)) << word;
  }
}

TEST(StopWords, EnglishKeepsNamesAndTopics) {
  for (const auto* word : {"shell", "ill", "hell", "mars", "python", "java", "debian", "paris",
                           "music", "march", "server", "wed_", "", "theory"}) {
    EXPECT_FALSE(is_stop_word(Language::english, word)) << word;
  }
}

TEST(StopWords, OtherLanguagesHaveTheirs) {
  EXPECT_TRUE(is_stop_word(Language::german, "f\u00fcr"));
  EXPECT_TRUE(is_stop_word(Language::french, "\u00e9t\u00e9"));
  EXPECT_TRUE(is_stop_word(Language::russian, "\u043d\u0435"));
  EXPECT_TRUE(is_stop_word(Language::danish, "og"));
  EXPECT_FALSE(is_stop_word(Language::german, "the"));
  EXPECT_FALSE(is_stop_word(Language::english, "und"));
  EXPECT_FALSE(is_stop_word(Language::other, "the"));
  EXPECT_FALSE(is_stop_word(Language::other, "und"));
}

TEST(StopWords, SingleLettersOfAlphabetsAlwaysAre) {
  for (const auto language : {Language::english, Language::turkish, Language::other}) {
    for (const auto* word : {"z", "\u00e9", "\u03b1", "\u0436", "\u1f00", "\u1ea1"}) {
      EXPECT_TRUE(is_stop_word(language, word)) << word;
    }
    for (const auto* word : {"\u4e16", "\u0e01", "zz", "\u05d0", "\xff", ""}) {
      EXPECT_FALSE(is_stop_word(language, word)) << word;
    }
  }
}

TEST(StopWords, EveryListFindsItself) {
  size_t languages = 0;
  for (const auto& list : stop_lists()) {
    ++languages;
    std::string_view rest = list.words;
    while (!rest.empty()) {
      const size_t size = rest.find(' ');
      ASSERT_NE(size, std::string_view::npos);
      EXPECT_TRUE(is_stop_word(list.language, rest.substr(0, size)));
      EXPECT_EQ(languages_of_stop_word(std::string(rest.substr(0, size)) + "zzz"), 0u);
      rest.remove_prefix(size + 1);
    }
  }
  EXPECT_EQ(languages, 15u);
}

std::string stem(Language language, std::string_view word) {
  Stemmer stemmer;
  return std::string(stemmer.stem(language, word));
}

TEST(Stemmer, EnglishIsPorters) {
  // Examples of M. F. Porter, "An algorithm for suffix stripping" (1980).
  EXPECT_EQ(stem(Language::english, "caresses"), "caress");
  EXPECT_EQ(stem(Language::english, "ponies"), "poni");
  EXPECT_EQ(stem(Language::english, "motoring"), "motor");
  EXPECT_EQ(stem(Language::english, "relational"), "relat");
  EXPECT_EQ(stem(Language::english, "vietnamization"), "vietnam");
  EXPECT_EQ(stem(Language::english, "generalizations"), "gener");
  EXPECT_EQ(stem(Language::english, "oscillators"), "oscil");
  EXPECT_EQ(stem(Language::english, "dying"), "dy");  // "english" of Snowball says "die"
}

TEST(Stemmer, KnowsEveryLanguage) {
  Stemmer stemmer;
  for (int i = 0; i <= static_cast<int>(Language::other); ++i) {
    const auto language = static_cast<Language>(i);
    EXPECT_FALSE(stemmer.stem(language, "abc").empty()) << language_name(language);
    EXPECT_FALSE(stemmer.stem(language, "s").empty()) << language_name(language);
    EXPECT_FALSE(stemmer.stem(language, "\u4e16\u754c").empty()) << language_name(language);
  }
}

TEST(Stemmer, StemsOtherLanguages) {
  EXPECT_EQ(stem(Language::german, "h\u00e4user"), "haus");
  EXPECT_EQ(stem(Language::german, "h\u00e4usern"), "haus");
  EXPECT_EQ(stem(Language::french, "continuellement"), "continuel");
  EXPECT_EQ(stem(Language::russian, "\u043a\u043d\u0438\u0433\u0438"), "\u043a\u043d\u0438\u0433");
  EXPECT_EQ(stem(Language::other, "running"), "running");
}

TEST(Stemmer, IsNeverEmpty) {
  Stemmer stemmer;
  for (const auto* word : {"s", "ed", "ing", "ly", "'", "\u0438", "\u0627\u0644"}) {
    for (int i = 0; i <= static_cast<int>(Language::other); ++i) {
      EXPECT_FALSE(stemmer.stem(static_cast<Language>(i), word).empty()) << word;
    }
  }
}

TEST(Stemmer, CanBeMoved) {
  Stemmer first;
  EXPECT_EQ(first.stem(Language::english, "running"), "run");
  Stemmer second = std::move(first);
  EXPECT_EQ(second.stem(Language::english, "running"), "run");
}

}  // namespace
}  // namespace kith::text
