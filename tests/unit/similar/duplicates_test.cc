#include "similar/duplicates.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "unit/similar/collections.h"

namespace kith::similar {
namespace {

// Compares every bag with every earlier one.
DuplicateGroups plain_duplicates(const sketch::BagCollection& bags, const Classes& classes = {}) {
  DuplicateGroups groups = no_duplicates(bags.size());
  for (uint32_t id = 0; id < bags.size(); ++id) {
    uint32_t last = no_id;
    for (uint32_t earlier = 0; earlier < id && !bags[id].empty(); ++earlier) {
      if (!std::ranges::equal(bags[earlier], bags[id]) || !classes.share(earlier, id)) continue;
      if (last == no_id) groups.representative[id] = earlier;
      last = earlier;
    }
    if (last != no_id) groups.next[last] = id;
  }
  for (uint32_t id = 0; id < bags.size(); ++id) {
    groups.multiplicity[id] = static_cast<uint32_t>(std::count(
        groups.representative.begin(), groups.representative.end(), groups.representative[id]));
  }
  return groups;
}

TEST(Duplicates, AgreeWithPlainComparison) {
  for (const NamedBags& named : all_collections(600)) {
    const DuplicateGroups plain = plain_duplicates(named.bags.view());
    for (const unsigned threads : {1u, 2u, 5u}) {
      ThreadPool pool(threads);
      const DuplicateGroups groups = find_duplicates(named.bags.view(), pool);
      EXPECT_EQ(groups.representative, plain.representative) << named.name;
      EXPECT_EQ(groups.next, plain.next) << named.name;
      EXPECT_EQ(groups.multiplicity, plain.multiplicity) << named.name;
    }
  }
}

TEST(Duplicates, OfTwoClassesAreNone) {
  for (const NamedBags& named : all_collections(600)) {
    std::vector<uint32_t> own;
    for (uint32_t id = 0; id < named.bags.view().size(); ++id) own.push_back(id * 7 % 3);
    const DuplicateGroups plain = plain_duplicates(named.bags.view(), Classes(own));
    ThreadPool pool(2);
    const DuplicateGroups groups = find_duplicates(named.bags.view(), pool, Classes(own));
    EXPECT_EQ(groups.representative, plain.representative) << named.name;
    EXPECT_EQ(groups.next, plain.next) << named.name;
    EXPECT_EQ(groups.multiplicity, plain.multiplicity) << named.name;
  }
}

TEST(Duplicates, RunsLongerThanAChunkStayWhole) {
  test::OwnedBags bags;
  for (uint32_t i = 0; i < 20'000; ++i) {
    bags.add(std::vector<std::pair<uint32_t, double>>{{i % 2, 1.0}});
  }
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags.view(), pool);
  EXPECT_EQ(groups.groups(), 2u);
  EXPECT_EQ(groups.duplicates(), 19'998u);
  EXPECT_EQ(groups.multiplicity[19'999], 10'000u);
  EXPECT_EQ(groups.next[0], 2u);
  EXPECT_EQ(groups.next[19'999], no_id);
}

TEST(Duplicates, DistinctBagsLeaveOutEmptyOnesAndCopies) {
  test::OwnedBags bags;
  bags.add({});
  bags.add(std::vector<std::pair<uint32_t, double>>{{1, 1.0}});
  bags.add({});
  bags.add(std::vector<std::pair<uint32_t, double>>{{1, 3.0}});  // normalised: the same bag
  bags.add(std::vector<std::pair<uint32_t, double>>{{2, 1.0}});
  ThreadPool pool(1);
  const DuplicateGroups groups = find_duplicates(bags.view(), pool);
  EXPECT_EQ(distinct_bags(bags.view(), groups), (std::vector<uint32_t>{1, 4}));
  EXPECT_EQ(groups.representative, (std::vector<uint32_t>{0, 1, 2, 1, 4}));
}

}  // namespace
}  // namespace kith::similar
