#include <gtest/gtest.h>

#include "answers/subject_words.h"

namespace kith::answers {
namespace {

using Words = std::vector<std::string>;

TEST(TidyLabel, HasOneFormOfAWord) {
  EXPECT_EQ(tidy_label({"Apache", "apache", "mod"}, "a.example"), (Words{"Apache", "mod"}));
  EXPECT_EQ(tidy_label({"child", "children", "node"}, "a.example"), (Words{"child", "node"}));
  EXPECT_EQ(tidy_label({"tests", "test", "testing"}, "a.example"), (Words{"tests", "testing"}));
}

TEST(TidyLabel, HasOneOfTwoWordsThatEndDifferently) {
  EXPECT_EQ(tidy_label({"food", "healthy", "diet", "health"}, ""),
            (Words{"food", "healthy", "diet"}));
  EXPECT_EQ(tidy_label({"photography", "photographers"}, ""), Words{"photography"});
  EXPECT_EQ(tidy_label({"Korea", "kim", "korean"}, ""), (Words{"Korea", "kim"}));
  EXPECT_EQ(tidy_label({"Philosophy", "philosophical"}, ""), Words{"Philosophy"});
  EXPECT_EQ(tidy_label({"printer", "printed"}, ""), Words{"printer"});
}

TEST(TidyLabel, HasOneOfTwoIdentifiersThatEndAlike) {
  EXPECT_EQ(tidy_label({"gsubprocess", "failable", "subprocess"}, ""),
            (Words{"gsubprocess", "failable"}));
  EXPECT_EQ(
      tidy_label(
          {"basicauthenticationserviceimpl", "slavedatabase", "noneauthenticationserviceimpl"}, ""),
      (Words{"basicauthenticationserviceimpl", "slavedatabase"}));
  EXPECT_EQ(tidy_label({"getauthentication", "setauthentication"}, ""), Words{"getauthentication"});
}

TEST(TidyLabel, KeepsOtherWordsThatBeginOrEndAlike) {
  const Words words = {"plan",      "planet",    "king",  "kingdom",   "mod",    "mods",
                       "interview", "internet",  "house", "warehouse", "policy", "police",
                       "apart",     "apartment", "organ", "organism",  "import", "importance"};
  EXPECT_EQ(tidy_label(words, "a.example"), words);
}

TEST(TidyLabel, PutsWordsOfTheNameOfTheHostLast) {
  EXPECT_EQ(tidy_label({"CMake", "target", "policy"}, "cmake.org"),
            (Words{"target", "policy", "CMake"}));
  EXPECT_EQ(tidy_label({"geos", "geometry"}, "libgeos-doc.example"), (Words{"geometry", "geos"}));
  EXPECT_EQ(tidy_label({"django", "Debian", "form"}, "docs.djangoproject.com"),
            (Words{"Debian", "form", "django"}));
  EXPECT_EQ(tidy_label({"git", "branch"}, "git-scm.com"), (Words{"branch", "git"}));
  EXPECT_EQ(tidy_label({"org", "sql"}, "www.postgresql.org"), (Words{"sql", "org"}));
}

TEST(TidyLabel, OfNothingIsNothing) {
  EXPECT_EQ(tidy_label({}, "a.example"), Words());
  EXPECT_EQ(tidy_label({"tree"}, ""), Words{"tree"});
}

}  // namespace
}  // namespace kith::answers
