// What sets are about, beside maps of the standard library.
#include <map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "similar/sets/hash_sets.h"

namespace kith::similar {
namespace {

using Words = std::vector<uint32_t>;

// Words are even; 1 + word is the word where it is sure.
TEST(Subjects, DifferWhereEachHasAWordOfItsOwn) {
  EXPECT_TRUE(subjects_differ(Words{2}, Words{4}));
  EXPECT_TRUE(subjects_differ(Words{2, 6}, Words{4, 6}));
  EXPECT_FALSE(subjects_differ(Words{2, 4}, Words{2, 4}));
  EXPECT_FALSE(subjects_differ(Words{2, 4}, Words{4}));
  EXPECT_FALSE(subjects_differ(Words{4}, Words{2, 4}));
}

TEST(Subjects, DifferWhereOneHasASureWordOfItsOwn) {
  EXPECT_TRUE(subjects_differ(Words{3, 4}, Words{4}));
  EXPECT_TRUE(subjects_differ(Words{4}, Words{3, 4}));
  EXPECT_FALSE(subjects_differ(Words{3, 4}, Words{2, 4}));
}

TEST(Subjects, DoNotDifferFromNone) {
  EXPECT_FALSE(subjects_differ(Words{}, Words{3}));
  EXPECT_FALSE(subjects_differ(Words{2}, Words{}));
  EXPECT_FALSE(subjects_differ(Words{}, Words{}));
}

TEST(Subjects, EqualMapsOfTheStandardLibrary) {
  Rng rng(3);
  std::vector<std::map<uint32_t, bool>> sets;  // word to whether it is sure
  Words words;
  std::vector<uint64_t> ends;
  for (int i = 0; i < 80; ++i) {
    std::map<uint32_t, bool> set;
    for (uint64_t k = rng.below(4); k > 0; --k) {
      set.emplace(static_cast<uint32_t>(2 * rng.below(4)), rng.below(4) == 0);
    }
    for (const auto& [word, is_sure] : set) words.push_back(is_sure ? sure_word(word) : word);
    ends.push_back(words.size());
    sets.push_back(std::move(set));
  }
  const Subjects subjects(words, ends);
  for (uint32_t a = 0; a < sets.size(); ++a) {
    for (uint32_t b = 0; b < sets.size(); ++b) {
      size_t own[2] = {};
      bool sure = false;
      for (const bool of_a : {false, true}) {
        for (const auto& [word, is_sure] : sets[of_a ? a : b]) {
          if (sets[of_a ? b : a].contains(word)) continue;
          ++own[of_a];
          sure = sure || is_sure;
        }
      }
      const bool both = !sets[a].empty() && !sets[b].empty();
      EXPECT_EQ(subjects.differ(a, b), both && (sure || (own[0] > 0 && own[1] > 0)));
    }
  }
}

TEST(Subjects, AreSharedByCopies) {
  Subjects subjects({8, 10, 12}, {1, 2, 3});
  subjects.share({0, 1, 0});
  EXPECT_THAT(subjects[2], testing::ElementsAre(8));
  EXPECT_THAT(subjects.own(2), testing::ElementsAre(12));
  EXPECT_FALSE(subjects.differ(0, 2));
  EXPECT_TRUE(subjects.differ(1, 2));
}

}  // namespace
}  // namespace kith::similar
