#include "text/words/terms.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "text/words/words.h"

namespace kith::text {
namespace {

TEST(StopWords, EnglishHasAboutSevenHundredFifty) {
  for (const auto& list : stop_lists()) {
    if (list.language != Language::english) continue;
    const auto count = std::count(list.telling.begin(), list.telling.end(), ' ');
    EXPECT_GE(count, 700);
    EXPECT_LE(count, 800);
    EXPECT_EQ(list.further, "");
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

TEST(StopWords, WordsTooShortForTheirScriptAlwaysAre) {
  for (const auto language : {Language::english, Language::turkish, Language::other}) {
    for (const auto* word :
         {"z", "zz", "js", "\u00e9", "\u00e9t", "\u03b1", "\u03b1\u03b2", "\u0436", "\u0436\u0437",
          "\u1f00", "\u1ea1", "x\u0302y\u0302", "\u0571\u0572", "\u10d0\u10d1", "\u00b5", "\u05d0",
          "\u05d0\u05b7", "\u0648", "\u0648\u064e"}) {
      EXPECT_TRUE(is_stop_word(language, word)) << word;
    }
    for (const auto* word :
         {"\u4e16", "\u0e01", "\uac1c", "zzz", "\u00e9t\u00e9", "\u05d9\u05d3", "\u062f\u0645",
          "\u0918\u0930", "\u0baa\u0bc2", "\u03b1\u03b2\u03b3", "\xff", "\u0301", ""}) {
      EXPECT_FALSE(is_stop_word(language, word)) << word;
    }
  }
}

std::vector<std::string_view> entries_of(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::string_view rest = list; !rest.empty();) {
    const size_t size = rest.find(' ');
    words.push_back(rest.substr(0, size));
    rest.remove_prefix(size + 1);
  }
  return words;
}

std::vector<std::string_view> words_of(const StopList& list) {
  std::vector<std::string_view> words = entries_of(list.telling);
  const std::vector<std::string_view> further = entries_of(list.further);
  words.insert(words.end(), further.begin(), further.end());
  return words;
}

TEST(StopWords, EveryListFindsItself) {
  for (const auto& list : stop_lists()) {
    for (const auto word : words_of(list)) {
      EXPECT_TRUE(is_stop_word(list.language, word));
      EXPECT_EQ(languages_of_stop_word(std::string(word) + "zzz"), 0u);
    }
  }
}

// The slow twin of the table: sets of the words of each list.
TEST(StopWords, TellAndAreLeftOutAsTheListsSay) {
  std::map<Language, std::set<std::string_view>> telling;
  std::map<Language, std::set<std::string_view>> all;
  std::set<std::string_view> words;
  for (const auto& list : stop_lists()) {
    for (const auto word : entries_of(list.telling)) telling[list.language].insert(word);
    for (const auto word : words_of(list)) all[list.language].insert(word);
    for (const auto word : words_of(list)) words.insert(word);
  }
  for (const auto word : words) {
    uint32_t told = 0;
    for (const auto& [language, list] : telling) {
      if (list.contains(word)) told |= language_bit(language);
    }
    ASSERT_EQ(languages_of_stop_word(word), told) << word;
    const bool is_short = is_stop_word(Language::other, word);
    for (const auto& [language, list] : all) {
      ASSERT_EQ(is_stop_word(language, word), is_short || list.contains(word)) << word;
    }
  }
}

TEST(StopWords, EveryLanguageHasAList) {
  std::set<Language> languages;
  for (const auto& list : stop_lists()) {
    EXPECT_TRUE(languages.insert(list.language).second);
    const size_t telling = entries_of(list.telling).size();
    if (has_stemmer(list.language)) {
      EXPECT_GE(telling, 90u) << language_name(list.language);
      EXPECT_LE(telling, 2100u) << language_name(list.language);
    } else {
      EXPECT_EQ(telling, 0u) << language_name(list.language);
    }
    EXPECT_GE(words_of(list).size(), 25u) << language_name(list.language);
    const std::vector<std::string_view> words = words_of(list);
    EXPECT_EQ(std::set(words.begin(), words.end()).size(), words.size());
  }
  EXPECT_EQ(languages.size(), static_cast<size_t>(Language::other));
  EXPECT_FALSE(languages.contains(Language::other));
}

bool is_word(std::string_view entry) {
  WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  splitter.reset(entry);
  return splitter.next(word, offset) && word == entry && !splitter.next(word, offset);
}

// A word that the splitter never gives would be there for nothing. Where scripts have no blanks,
// lists hold some phrases that the dictionary cuts.
TEST(StopWords, EveryEntryIsAWordOfTheSplitter) {
  for (const auto& list : stop_lists()) {
    const std::vector<std::string_view> words = words_of(list);
    const auto count = static_cast<size_t>(std::ranges::count_if(words, is_word));
    switch (list.language) {
      case Language::chinese:
      case Language::japanese:
      case Language::thai:
        EXPECT_GE(count * 10, words.size() * 7) << language_name(list.language);
        break;
      default:
        EXPECT_EQ(count, words.size()) << language_name(list.language);
        for (const auto word : words) EXPECT_TRUE(is_word(word)) << word;
    }
  }
}

TEST(StopWords, ListsHoldOtherSpellings) {
  const std::pair<Language, const char*> words[] = {
      {Language::serbian, "koji"},
      {Language::serbian, "\u043a\u043e\u0458\u0438"},
      {Language::serbian, "\u045a\u0435\u0433\u043e\u0432"},
      {Language::greek, "\u03c4\u03b7\u03c2"},
      {Language::greek, "\u03c4\u03b7\u03c3"},
      {Language::greek, "\u03b1\u03c0\u03bf"},
      {Language::arabic, "\u0625\u0644\u0649"},
      {Language::arabic, "\u0627\u0644\u0649"},
      {Language::turkish, "nas\u0131l"},
      {Language::turkish, "nasil"},
      {Language::yiddish, "\u05f0\u05d0\u05b8\u05e1"},
      {Language::yiddish, "\u05d5\u05d5\u05d0\u05e1"},
  };
  for (const auto& [language, word] : words) EXPECT_TRUE(is_stop_word(language, word)) << word;
}

uint32_t told_bit(Language language) {
  return has_stemmer(language) ? language_bit(language) : ~uint32_t{0};
}

TEST(StopWords, FurtherWordsAreLeftOutAndTellNothing) {
  const std::pair<Language, const char*> words[] = {
      {Language::french, "cette"},
      {Language::french, "comme"},
      {Language::french, "tous"},
      {Language::german, "dass"},
      {Language::german, "mehr"},
      {Language::german, "schon"},
      {Language::italian, "sempre"},
      {Language::spanish, "mientras"},
      {Language::russian, "\u043a\u043e\u0442\u043e\u0440\u044b\u0439"},
      {Language::romanian, "ace\u0219tia"},
      {Language::polish, "kt\u00f3ry"},
      {Language::polish, "przez"},
      {Language::czech, "kter\u00fd"},
      {Language::japanese, "\u3053\u306e"},
      {Language::chinese, "\u8fd9\u4e2a"},
      {Language::chinese, "\u9019\u500b"},
      {Language::korean, "\uadf8\ub9ac\uace0"},
      {Language::hebrew, "\u05d0\u05e0\u05d7\u05e0\u05d5"},
      {Language::vietnamese, "nh\u01b0ng"},
  };
  for (const auto& [language, word] : words) {
    EXPECT_TRUE(is_stop_word(language, word)) << word;
    EXPECT_FALSE(is_stop_word(Language::english, word)) << word;
    EXPECT_EQ(languages_of_stop_word(word) & told_bit(language), 0u) << word;
  }
}

TEST(StopWords, ListsLeaveTopicsAlone) {
  const std::pair<Language, const char*> words[] = {
      {Language::catalan, "aigua"},
      {Language::basque, "musika"},
      {Language::irish, "ceol"},
      {Language::lithuanian, "vanduo"},
      {Language::turkish, "m\u00fczik"},
      {Language::serbian, "muzika"},
      {Language::greek, "\u03bd\u03b5\u03c1\u03cc"},
      {Language::hindi, "\u092a\u093e\u0928\u0940"},
      {Language::arabic, "\u0645\u0627\u0621"},
      {Language::tamil, "\u0ba8\u0bc0\u0bb0\u0bcd"},
      {Language::french, "valeur"},
      {Language::french, "eau"},
      {Language::german, "recht"},
      {Language::german, "mensch"},
      {Language::italian, "paese"},
      {Language::spanish, "trabajo"},
      {Language::portuguese, "viagem"},
      {Language::russian, "\u0432\u043e\u0434\u0430"},
      {Language::polish, "woda"},
      {Language::malay, "ekonomi"},
      {Language::chinese, "\u6c34"},
      {Language::japanese, "\u6c34"},
  };
  for (const auto& [language, word] : words) EXPECT_FALSE(is_stop_word(language, word)) << word;
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

TEST(Stemmer, TakesWordsOfLanguagesWithoutOneAsTheyAre) {
  for (int i = 0; i <= static_cast<int>(Language::other); ++i) {
    const auto language = static_cast<Language>(i);
    if (has_stemmer(language)) continue;
    EXPECT_EQ(stem(language, "houses"), "houses");
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
