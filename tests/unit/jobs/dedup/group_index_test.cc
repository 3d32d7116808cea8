// Groups by size, and their members, beside a plain loop.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "jobs/dedup/lists.h"

namespace kith::jobs {
namespace {

using testing::ElementsAre;

TEST(GroupIndex, HasTheKeptDocumentFirst) {
  //                          0  1  2  3  4  5  6
  const std::vector<uint32_t> kept{3, 1, 6, 3, 4, 3, 6};
  const GroupIndex index(kept);
  ASSERT_EQ(index.size(), 2);
  EXPECT_THAT(index[0], ElementsAre(3, 0, 5));
  EXPECT_THAT(index[1], ElementsAre(6, 2));
  EXPECT_EQ(index.find(3), 0);
  EXPECT_EQ(index.find(6), 1);
  EXPECT_EQ(index.find(1), index.size());
}

TEST(GroupIndex, IsEmptyWithoutGroups) {
  EXPECT_EQ(GroupIndex().size(), 0);
  EXPECT_EQ(GroupIndex(std::vector<uint32_t>{}).size(), 0);
  EXPECT_EQ(GroupIndex(std::vector<uint32_t>{0, 1, 2}).size(), 0);
}

TEST(GroupIndex, EqualsAPlainLoop) {
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<uint32_t> kept(1 + rng.below(200));
    for (uint32_t id = 0; id < kept.size(); ++id) {
      const auto other = static_cast<uint32_t>(rng.below(kept.size()));
      kept[id] = other < id && kept[other] == other ? other : id;
    }
    std::map<uint32_t, std::vector<uint32_t>> members;
    for (uint32_t id = 0; id < kept.size(); ++id) members[kept[id]].push_back(id);
    std::vector<std::vector<uint32_t>> groups;
    for (const auto& [own, ids] : members) {
      if (ids.size() > 1) groups.push_back(ids);
    }
    std::ranges::stable_sort(groups,
                             [](const auto& a, const auto& b) { return a.size() > b.size(); });
    const GroupIndex index(kept);
    ASSERT_EQ(index.size(), groups.size());
    for (uint64_t number = 0; number < groups.size(); ++number) {
      EXPECT_THAT(index[number], testing::ElementsAreArray(groups[number]));
      EXPECT_EQ(index.find(groups[number].front()), number);
    }
  }
}

}  // namespace
}  // namespace kith::jobs
