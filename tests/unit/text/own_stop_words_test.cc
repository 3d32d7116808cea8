#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "text/words/terms.h"

namespace kith::text {
namespace {

TEST(OwnStopWords, TakeAllFormsInTheLanguageOfThePage) {
  const OwnStopWords words(
      std::vector<std::string>{"Cookies", "Datenschutzerklärungen", "クッキー"});
  Stemmer stemmer;
  const auto leaves_out = [&](Language language, std::string_view word) {
    return words.has_stem(language, stemmer.stem(language, word));
  };
  EXPECT_TRUE(leaves_out(Language::english, "cookie"));
  EXPECT_TRUE(leaves_out(Language::german, "cookies"));
  EXPECT_TRUE(leaves_out(Language::german, "datenschutzerklärung"));
  EXPECT_TRUE(leaves_out(Language::japanese, "クッキー"));
  EXPECT_TRUE(leaves_out(Language::other, "cookies"));
  EXPECT_FALSE(leaves_out(Language::english, "cook"));
  EXPECT_FALSE(leaves_out(Language::other, "cookie"));
}

TEST(OwnStopWords, AreNoneWithoutWords) {
  EXPECT_FALSE(OwnStopWords().has_stem(Language::english, "cooki"));
  EXPECT_FALSE(OwnStopWords(std::vector<std::string>{"", "123 !"}).has_stem(Language::other, ""));
}

}  // namespace
}  // namespace kith::text
