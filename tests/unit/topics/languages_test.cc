#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_bags.h"
#include "topics/reassignment.h"
#include "topics/vectors.h"

namespace kith::topics {
namespace {

// Pages of words of their language: 60 of the first, 40 of the second, 3 of the third.
class Languages : public testing::Test {
 protected:
  Languages() {
    constexpr uint32_t words_of_language = 20;
    for (uint32_t page = 0; page < 103; ++page) {
      const uint32_t language = page < 60 ? 1 : page < 100 ? 2 : 3;
      language_.push_back(static_cast<uint8_t>(language));
      std::vector<std::pair<uint32_t, double>> words{{0, 0.1}};  // a name, in all languages
      for (uint32_t i = 0; i < 6; ++i) {
        words.emplace_back(1 + language * words_of_language + (page + 3 * i) % words_of_language,
                           1.0);
      }
      std::ranges::sort(words);
      words.erase(std::unique(words.begin(), words.end()), words.end());
      bags_.add(words);
    }
    nodes_ = make_nodes(bags_.view(), similar::find_duplicates(bags_.view(), pool_));
    std::vector<uint32_t> all(nodes_.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    room_ = std::make_unique<VectorRoom>(terms);
    vectors_ = TopicVectors::copy(bags_.view(), nodes_, all, *room_, pool_);
    for (const uint32_t page : nodes_.page) of_node_.push_back(language_[page]);
  }

  // Two groups that have pages of all languages.
  Groups mixed() {
    std::vector<uint32_t> group(vectors_->size());
    for (uint32_t i = 0; i < group.size(); ++i) group[i] = i % 2;
    return make_groups(*vectors_, group, 2, pool_);
  }

  std::map<uint32_t, std::set<uint8_t>> languages_of(const Groups& groups) const {
    std::map<uint32_t, std::set<uint8_t>> languages;
    for (size_t i = 0; i < groups.group.size(); ++i) languages[groups.group[i]].insert(of_node_[i]);
    return languages;
  }

  static constexpr uint32_t terms = 100;
  ThreadPool pool_{2};
  kith::test::OwnedBags bags_;
  std::vector<uint8_t> language_;
  Nodes nodes_;
  std::unique_ptr<VectorRoom> room_;
  std::optional<TopicVectors> vectors_;
  std::vector<uint8_t> of_node_;
};

TEST_F(Languages, AreKeptApartWhereTheyHaveEnoughPages) {
  Groups groups = mixed();
  separate_languages(*vectors_, sum_all(*vectors_, pool_), of_node_, 10, groups, pool_);
  EXPECT_GT(groups.pages.size(), 2u);
  EXPECT_EQ(groups.directions.groups(), groups.pages.size());
  for (const auto& [group, languages] : languages_of(groups)) {
    EXPECT_FALSE(languages.contains(1) && languages.contains(2)) << group;
  }
  const Groups again =
      make_groups(*vectors_, groups.group, static_cast<uint32_t>(groups.pages.size()), pool_);
  EXPECT_EQ(groups.pages, again.pages);
}

TEST_F(Languages, OfFewPagesOfAGroupJoinTheirOwn) {
  std::vector<uint32_t> group(vectors_->size());
  for (uint32_t i = 0; i < group.size(); ++i) {
    const bool is_second = of_node_[i] == 2;
    group[i] = is_second ? (i % 13 == 0 ? 0 : 1) : i % 2;
  }
  // Most of group 1 are of the first language, so that the second has no group yet.
  uint32_t moved = 0;
  for (uint32_t i = 0; i < group.size(); ++i) {
    if (of_node_[i] == 1 && group[i] == 0 && moved < 7) group[i] = 1, ++moved;
  }
  Groups groups = make_groups(*vectors_, group, 2, pool_);
  separate_languages(*vectors_, sum_all(*vectors_, pool_), of_node_, 20, groups, pool_);
  EXPECT_EQ(groups.pages.size(), 3u);
  for (size_t i = 0; i < group.size(); ++i) {
    EXPECT_EQ(groups.group[i] == 2, of_node_[i] == 2) << i;
  }
}

TEST_F(Languages, OfFewPagesStayWhereTheyAre) {
  Groups groups = mixed();
  const std::vector<uint32_t> before = groups.group;
  separate_languages(*vectors_, sum_all(*vectors_, pool_), of_node_, 50, groups, pool_);
  EXPECT_EQ(groups.group, before);  // one language alone has so many
}

TEST_F(Languages, ThatShareTheirWordsCountAsOne) {
  std::vector<uint8_t> dialects(of_node_.size());
  for (size_t i = 0; i < dialects.size(); ++i) dialects[i] = static_cast<uint8_t>(1 + i % 2);
  Groups groups = mixed();
  const std::vector<uint32_t> before = groups.group;
  separate_languages(*vectors_, sum_all(*vectors_, pool_), dialects, 10, groups, pool_);
  EXPECT_EQ(groups.group, before);
}

}  // namespace
}  // namespace kith::topics
