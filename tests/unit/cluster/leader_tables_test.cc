#include "cluster/leader_tables.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace kith::cluster {
namespace {

using ::testing::IsEmpty;

std::vector<uint32_t> found(const LeaderTables& tables, uint32_t table, uint64_t key) {
  std::vector<uint32_t> ids;
  tables.find(table, key, [&](uint32_t id) { ids.push_back(id); });
  std::ranges::sort(ids);
  return ids;
}

TEST(LeaderTables, EmptyFindsNothing) {
  LeaderTables tables(3);
  EXPECT_EQ(tables.capacity(), 0u);
  EXPECT_THAT(found(tables, 2, 77), IsEmpty());
  tables.clear();
  tables.reset(0);
  EXPECT_THAT(found(tables, 2, 77), IsEmpty());
}

TEST(LeaderTables, HasRoomForWhatWasAsked) {
  for (const size_t ids : {1u, 9u, 10u, 95u, 96u, 97u, 100000u}) {
    LeaderTables tables(2);
    tables.reset(ids);
    EXPECT_GE(tables.capacity(), ids);
    EXPECT_LE(tables.capacity(), ids + 10);
  }
}

// Filled to the brim: every id is found under its key, and few besides.
TEST(LeaderTables, FindsEveryId) {
  constexpr uint32_t n = 20000;
  LeaderTables tables(2);
  tables.reset(n);
  Rng rng(1);
  std::vector<uint64_t> keys;
  for (uint32_t id = 0; id < n; ++id) {
    keys.push_back(rng());
    tables.insert(0, keys[id], id);
    tables.insert(1, ~keys[id], id);
  }
  size_t others = 0;
  for (uint32_t id = 0; id < n; ++id) {
    for (const auto& ids : {found(tables, 0, keys[id]), found(tables, 1, ~keys[id])}) {
      EXPECT_TRUE(std::ranges::binary_search(ids, id));
      others += ids.size() - 1;
    }
  }
  EXPECT_LT(others, 2 * n / 10);
  EXPECT_GT(others, 0u);
  tables.clear();
  EXPECT_THAT(found(tables, 0, keys[0]), IsEmpty());
}

// A key that half of the ids share slows neither itself beyond its own entries nor the others.
TEST(LeaderTables, OneKeyMayHoldVeryMany) {
  constexpr uint32_t n = 5000;
  LeaderTables tables(1);
  tables.reset(2 * n);
  Rng rng(2);
  for (uint32_t id = 0; id < n; ++id) {
    tables.insert(0, 42, id);
    tables.insert(0, rng(), n + id);
  }
  const auto ids = found(tables, 0, 42);
  for (uint32_t id = 0; id < n; ++id) EXPECT_TRUE(std::ranges::binary_search(ids, id));
  size_t others = 0;
  for (uint32_t i = 0; i < n; ++i) others += found(tables, 0, rng()).size();
  EXPECT_LT(others, n / 2);
}

TEST(LeaderTables, ExtremeKeysAndIds) {
  LeaderTables tables(1);
  tables.reset(100);
  for (const uint64_t key : {uint64_t{0}, UINT64_MAX, uint64_t{1} << 63}) {
    tables.insert(0, key, UINT32_MAX);
    EXPECT_EQ(found(tables, 0, key), std::vector<uint32_t>{UINT32_MAX});
  }
}

}  // namespace
}  // namespace kith::cluster
