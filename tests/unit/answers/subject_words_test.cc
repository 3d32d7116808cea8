#include "answers/subject_words.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace kith::answers {
namespace {

using Words = std::vector<std::string>;

std::vector<TitleInLanguage> in_english(const std::vector<std::string_view>& titles) {
  std::vector<TitleInLanguage> all;
  for (const std::string_view title : titles) all.push_back({title, text::Language::english});
  return all;
}

Words subjects(const std::vector<std::string_view>& titles,
               const std::vector<std::string_view>& others = {},
               const text::OwnStopWords& left_out = {}, const Words& words = {}) {
  SubjectWords subjects(in_english(titles), left_out);
  subjects.keep_rare(in_english(others));
  return subjects.written_as(words);
}

TEST(SubjectWords, AreThoseOfHalfOfTheTitles) {
  EXPECT_EQ(subjects({"SpaceX lands a rocket", "A week of SpaceX", "The SpaceX rocket", "Falcon",
                      "A rocket", "Kennedy"}),
            (Words{"rocket", "spacex"}));
  EXPECT_EQ(subjects({"SpaceX one", "SpaceX two", "three", "four", "five", "six", "seven"}),
            Words());
}

TEST(SubjectWords, OfTwoTitlesAreNone) {
  EXPECT_EQ(subjects({"SpaceX lands", "SpaceX starts"}), Words());
}

TEST(SubjectWords, AreNotWhatThePagesAroundHaveToo) {
  const std::vector<std::string_view> titles{"mod_dbd - Apache", "mod_dbd (fr) - Apache",
                                             "Using mod_dbd - Apache"};
  EXPECT_EQ(subjects(titles, {"mod_proxy - Apache", "mod_ssl - Apache", "Directives - Apache"}),
            (Words{"dbd"}));
  EXPECT_EQ(subjects(titles).size(), 2U);
}

TEST(SubjectWords, HaveTheFormOfTheLabelOrTheShortestFrequentOne) {
  const std::vector<std::string_view> titles{"NASA's rover", "NASA's moons", "Moons of NASA",
                                             "Mars"};
  EXPECT_EQ(subjects(titles).front(), "nasa");
  EXPECT_EQ(subjects({"A hotel", "Hotels", "More hotels", "All hotels", "Our hotels"}),
            Words{"hotels"});
  const std::vector<std::string_view> of_moons{"A moon", "Two moons", "Moons"};
  EXPECT_EQ(subjects(of_moons), Words{"moon"});
  EXPECT_EQ(subjects(of_moons, {}, {}, {"mars", "moons"}), Words{"moons"});
}

TEST(SubjectWords, OfEqualTitlesCountOnce) {
  EXPECT_EQ(subjects({"Dumbest concept car", "Re: Dumbest concept car",
                      "RE: re: Dumbest concept car", "Brakes", "Tyres"}),
            Words());
}

TEST(SubjectWords, AreNoStopWords) {
  EXPECT_EQ(subjects({"What about wheels", "What about brakes", "What about tyres"}), Words());
  const text::OwnStopWords left_out(std::vector<std::string>{"forums"});
  const std::vector<std::string_view> titles{"Forum: wheels", "Forum: brakes", "Forum: tyres"};
  EXPECT_EQ(subjects(titles), Words{"forum"});
  EXPECT_EQ(subjects(titles, {}, left_out), Words());
}

}  // namespace
}  // namespace kith::answers
