#include "similar/sites.h"

#include <gtest/gtest.h>

#include "support/random_bags.h"

namespace kith::similar {
namespace {

using Word = std::pair<uint32_t, double>;

// Bag i is of the one word words[i].
test::OwnedBags bags_of(const std::vector<uint32_t>& words) {
  test::OwnedBags bags;
  for (const uint32_t word : words) bags.add(std::vector<Word>{{word, 1.0}});
  return bags;
}

TEST(Sites, KnowTheHostOfEveryId) {
  const DuplicateGroups groups = no_duplicates(6);
  const Sites sites({0, 1, 4}, groups);
  EXPECT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites.site_of(0), (IdRange{0, 1}));
  EXPECT_EQ(sites.site_of(1), (IdRange{1, 4}));
  EXPECT_EQ(sites.site_of(3), (IdRange{1, 4}));
  EXPECT_EQ(sites.site_of(5), (IdRange{4, 6}));
  EXPECT_LE(sites.bytes(), Sites::max_bytes(3, 6));
}

TEST(Sites, OfNoIds) {
  const DuplicateGroups groups = no_duplicates(0);
  EXPECT_EQ(Sites({}, groups).size(), 0u);
  EXPECT_TRUE(further_lists(groups, {}).empty());
}

TEST(Sites, SkipMembersOfAGroupThatAreOnTheHost) {
  // Word 1 on three hosts, word 2 on one.
  const test::OwnedBags bags = bags_of({1, 1, 2, 1, 1, 2, 1, 3});
  ThreadPool pool(1);
  const DuplicateGroups groups = find_duplicates(bags.view(), pool);
  const Sites sites({0, 2, 6}, groups);
  EXPECT_TRUE(sites.is_on_several(0));
  EXPECT_FALSE(sites.is_on_several(2));
  EXPECT_FALSE(sites.is_on_several(7));
  EXPECT_EQ(sites.first_outside(0, {0, 2}), 3u);
  EXPECT_EQ(sites.first_outside(0, {2, 6}), 0u);
  EXPECT_EQ(sites.first_outside(2, {2, 6}), no_id);
  EXPECT_EQ(sites.next_outside(1, {2, 6}), 6u);
  EXPECT_EQ(sites.next_outside(4, {6, 8}), no_id);
  EXPECT_EQ(sites.first_on_site(4), 3u);
  EXPECT_EQ(sites.first_on_site(1), 0u);
}

TEST(OtherSites, NeedFurtherListsWhereAGroupHasFewMembersElsewhere) {
  const test::OwnedBags bags = bags_of({1, 1, 2, 1, 1, 2, 1, 3});
  ThreadPool pool(1);
  const DuplicateGroups groups = find_duplicates(bags.view(), pool);
  const Sites sites({0, 2, 6}, groups);
  // The members of word 1 elsewhere: 3 for host 0, 3 for host 2, 4 for host 6.
  EXPECT_EQ(further_lists(groups, {5, &sites}), (std::vector<uint32_t>{3, 6}));
  EXPECT_EQ(further_lists(groups, {4, &sites}), (std::vector<uint32_t>{3}));
  EXPECT_TRUE(further_lists(groups, {3, &sites}).empty());
  EXPECT_EQ(list_owner(groups, {4, &sites}, 4), 3u);
  EXPECT_EQ(list_owner(groups, {4, &sites}, 6), no_id);
  EXPECT_EQ(list_owner(groups, {4, &sites}, 5), 2u);
}

}  // namespace
}  // namespace kith::similar
