#include "cluster/leader_tables.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace kith::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<uint32_t> found(const LeaderTables& tables, uint32_t table, uint32_t key) {
  std::vector<uint32_t> ids;
  tables.find(table, key, [&](uint32_t id) { ids.push_back(id); });
  std::ranges::sort(ids);
  return ids;
}

std::vector<ShortKeyId> sorted(std::vector<ShortKeyId> entries) {
  std::ranges::stable_sort(entries, {}, &ShortKeyId::key);
  return entries;
}

TEST(LeaderTables, EmptyFindsNothing) {
  LeaderTables tables(3);
  EXPECT_THAT(found(tables, 2, 77), IsEmpty());
  tables.prefetch(2, UINT32_MAX);
  tables.clear();
  tables.merge(2, {});
  EXPECT_THAT(found(tables, 2, 77), IsEmpty());
}

// In batches of all sizes, against a plain search through all that were merged.
TEST(LeaderTables, FindsWhatWasMerged) {
  Rng rng(1);
  for (const uint64_t keys : {uint64_t{1}, uint64_t{50}, uint64_t{1} << 32}) {
    LeaderTables tables(2);
    std::vector<ShortKeyId> all;
    for (const size_t batch : {1u, 2u, 7u, 0u, 100u, 3000u, 1u, 500u, 600u}) {
      std::vector<ShortKeyId> entries;
      for (size_t i = 0; i < batch; ++i) {
        const auto key = static_cast<uint32_t>(mix64(rng.below(keys)));
        entries.push_back({key, static_cast<uint32_t>(i)});
      }
      const auto first = static_cast<uint32_t>(all.size());
      tables.merge(1, sorted(entries), first);
      for (const ShortKeyId& entry : entries) all.push_back({entry.key, first + entry.id});
      if (batch != 7) continue;  // else the lists stay two
      EXPECT_TRUE(std::ranges::is_sorted(tables.entries(1), {}, &ShortKeyId::key));
    }
    for (size_t i = 0; i < all.size(); i += 37) {
      std::vector<uint32_t> ids;
      for (const ShortKeyId& entry : all) {
        if (entry.key == all[i].key) ids.push_back(entry.id);
      }
      EXPECT_EQ(found(tables, 1, all[i].key), ids);
      EXPECT_THAT(found(tables, 1, all[i].key ^ 0x5bd1e995), IsEmpty());
    }
    EXPECT_THAT(tables.entries(0), IsEmpty());
    tables.clear();
    EXPECT_THAT(found(tables, 1, all[0].key), IsEmpty());
    tables.merge(1, std::vector<ShortKeyId>{{5, 9}});
    EXPECT_THAT(found(tables, 1, 5), ElementsAre(9));
  }
}

TEST(LeaderTables, ExtremeKeysAndIds) {
  LeaderTables tables(1);
  tables.merge(0, sorted({{0, 1}, {UINT32_MAX, UINT32_MAX}, {1u << 31, 3}, {0, 2}}));
  EXPECT_THAT(found(tables, 0, 0), ElementsAre(1, 2));
  EXPECT_THAT(found(tables, 0, UINT32_MAX), ElementsAre(UINT32_MAX));
  EXPECT_THAT(found(tables, 0, 1u << 31), ElementsAre(3));
  EXPECT_THAT(found(tables, 0, 1), IsEmpty());
}

}  // namespace
}  // namespace kith::cluster
