#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "answers/subject_words.h"

namespace kith::answers {
namespace {

using Words = std::vector<std::string>;
using Titles = std::vector<std::string_view>;

// `count` titles that take turns.
Titles many(const Titles& titles, size_t count) {
  Titles made;
  for (size_t i = 0; i < count; ++i) made.push_back(titles[i % titles.size()]);
  return made;
}

TEST(TitleLabel, LeavesOutWordsThatNoTitleHasWhereOthersAreEnough) {
  const Titles titles = many({"A gun law", "On the FBI and guns", "The Waco siege"}, 9);
  EXPECT_EQ(title_label({"optilink", "gun", "cramer", "waco", "fbi"}, titles),
            (Words{"gun", "Waco", "FBI"}));
}

TEST(TitleLabel, KeepsThemAfterTheOthersWhereTheseAreTooFew) {
  const Titles titles = many({"A gun law", "More on gun laws"}, 9);
  EXPECT_EQ(title_label({"optilink", "gun", "cramer"}, titles),
            (Words{"gun", "optilink", "cramer"}));
}

TEST(TitleLabel, TakesNoMoreThanOneWordAfterTheBestFive) {
  const Words words{"a1", "gun", "b2", "law", "c3", "siege", "fire"};
  EXPECT_EQ(title_label(words, many({"A gun; a law", "The siege", "On fire"}, 9)),
            (Words{"gun", "law", "siege"}));
  EXPECT_EQ(title_label(words, many({"A gun", "The siege", "On fire"}, 9)),
            (Words{"gun", "a1", "b2", "law", "c3"}));
}

TEST(TitleLabel, OneTitleOfMoreThanAHundredDoesNotCount) {
  Titles titles = many({"gun", "law", "siege"}, 150);
  titles.emplace_back("By Cramer");
  EXPECT_EQ(title_label({"cramer", "gun", "law", "siege"}, titles), (Words{"gun", "law", "siege"}));
  titles.emplace_back("By Cramer");
  EXPECT_EQ(title_label({"cramer", "gun", "law", "siege"}, titles),
            (Words{"cramer", "gun", "law", "siege"}));
}

TEST(TitleLabel, OtherFormsOfAWordCount) {
  EXPECT_EQ(title_label({"zzz", "storm", "test", "walk"}, many({"Storms", "Testing", "Walked"}, 9)),
            (Words{"storm", "test", "walk"}));
}

TEST(TitleLabel, MakesPhrasesOfWordsThatStandSideBySide) {
  const Titles titles = many({"On Block Storage of disks", "All of Block Storage"}, 40);
  EXPECT_EQ(title_label({"storage", "disks", "block"}, titles), (Words{"Block Storage", "disks"}));
  EXPECT_EQ(title_label({"storage", "disks", "block"}, many(titles, 3)),
            (Words{"storage", "disks", "block"}));
}

TEST(TitleLabel, OfFewTitlesAThirdMustHaveAPhrase) {
  Titles titles = many({"In North Korea today"}, 4);
  for (int i = 0; i < 8; ++i) titles.emplace_back("Elsewhere");
  EXPECT_EQ(title_label({"korea", "north", "kim"}, titles), (Words{"North Korea", "kim"}));
  titles.insert(titles.end(), 4, "Elsewhere");
  EXPECT_EQ(title_label({"korea", "north", "kim"}, titles), (Words{"Korea", "North", "kim"}));
}

TEST(TitleLabel, AnswersOfAThreadMakeNoPhrase) {
  Titles titles = many({"Re: The dumbest concept"}, 8);
  titles.emplace_back("The dumbest concept");
  EXPECT_EQ(title_label({"dumbest", "concept", "car"}, titles).size(), 3U);
}

TEST(TitleLabel, LeavesWordsAsTheyAreWithoutTitles) {
  EXPECT_EQ(title_label({"a1", "b2", "c3", "d4", "e5", "f6"}, {}),
            (Words{"a1", "b2", "c3", "d4", "e5"}));
  EXPECT_EQ(title_label({}, many({"A gun"}, 9)), Words{});
}

}  // namespace
}  // namespace kith::answers
