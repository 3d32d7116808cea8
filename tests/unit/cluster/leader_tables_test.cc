// The tables of the leader index against a plain search through all that was merged.
#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "cluster/leader/rows.h"

namespace kith::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t all_keys = uint64_t{1} << 32;

std::vector<uint32_t> found(const LeaderTables& tables, uint32_t table, uint32_t key) {
  std::vector<uint32_t> ids;
  tables.prefetch(table, key);
  tables.find(table, key, [&](uint32_t id) { ids.push_back(id); });
  std::ranges::sort(ids);
  return ids;
}

// Two tables, of which one stays empty, and what is in the other.
class Twins {
 public:
  explicit Twins(uint64_t keys) : tables_(std::vector<uint64_t>{keys, keys}) {}

  void reserve(size_t entries) { tables_.reserve(1, entries); }

  // The ids go on from those before.
  void merge(const std::vector<uint32_t>& keys) {
    std::vector<ShortKeyId> entries;
    for (const uint32_t key : keys) {
      entries.push_back({key, static_cast<uint32_t>(keys_.size())});
      keys_.push_back(key);
    }
    std::ranges::stable_sort(entries, {}, &ShortKeyId::key);
    tables_.merge(1, entries);
  }

  void clear() {
    tables_.clear();
    keys_.clear();
  }

  bool agree(uint32_t key) const {
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < keys_.size(); ++id) {
      if (keys_[id] == key) ids.push_back(id);
    }
    return found(tables_, 1, key) == ids && found(tables_, 0, key).empty();
  }

  const std::vector<uint32_t>& keys() const { return keys_; }

 private:
  LeaderTables tables_;
  std::vector<uint32_t> keys_;  // by id
};

TEST(LeaderTables, EmptyFindsNothing) {
  LeaderTables tables(std::vector<uint64_t>{1, 256, all_keys / 1024});
  EXPECT_THAT(found(tables, 0, 0), IsEmpty());
  EXPECT_THAT(found(tables, 2, all_keys / 1024 - 1), IsEmpty());
  tables.clear();
  tables.merge(1, {});
  EXPECT_THAT(found(tables, 1, 255), IsEmpty());
}

// In batches of all sizes, with cells that are nearly empty and with long ones, and room for fewer
// and for more.
TEST(LeaderTables, FindsWhatWasMerged) {
  Rng rng(1);
  for (const uint64_t below :
       {uint64_t{1}, uint64_t{50}, uint64_t{257}, uint64_t{33'000}, uint64_t{10'000'000}}) {
    for (const size_t room : {0u, 100u, 10'000u}) {
      Twins twins(below);
      for (const size_t batch : {1u, 2u, 7u, 0u, 100u, 3000u, 1u, 500u, 600u}) {
        std::vector<uint32_t> added(batch);
        for (uint32_t& key : added) key = static_cast<uint32_t>(rng.below(below));
        twins.reserve(room);
        twins.merge(added);
      }
      for (size_t i = 0; i < twins.keys().size(); i += 37) {
        EXPECT_TRUE(twins.agree(twins.keys()[i]));
        EXPECT_TRUE(twins.agree(static_cast<uint32_t>(rng.below(below))));
      }
      const uint32_t last = twins.keys().back();
      twins.clear();
      EXPECT_TRUE(twins.agree(last));
      twins.merge({last});
      EXPECT_TRUE(twins.agree(last));
    }
  }
}

TEST(LeaderTables, ExtremeKeysAndIds) {
  LeaderTables tables(std::vector<uint64_t>{all_keys});
  tables.merge(0, std::vector<ShortKeyId>{{0, 1}, {0, 2}, {1u << 31, 3}, {UINT32_MAX, UINT32_MAX}});
  EXPECT_THAT(found(tables, 0, 0), ElementsAre(1, 2));
  EXPECT_THAT(found(tables, 0, UINT32_MAX), ElementsAre(UINT32_MAX));
  EXPECT_THAT(found(tables, 0, 1u << 31), ElementsAre(3));
  for (const uint32_t key : {1u, 256u, 1u << 30, UINT32_MAX - 1, UINT32_MAX - 256}) {
    EXPECT_THAT(found(tables, 0, key), IsEmpty());
  }
}

RC_GTEST_PROP(LeaderTables, FindsWhatWasMergedSinceTheLastClear, ()) {
  const auto below = *rc::gen::element<uint32_t>(1, 2, 255, 256, 257, 511, 5000, 1'000'000);
  const auto key = rc::gen::oneOf(rc::gen::inRange<uint32_t>(0, below), rc::gen::just(below - 1),
                                  rc::gen::inRange<uint32_t>(0, std::min(below, 20u)));
  const auto batches = *rc::gen::container<std::vector<std::vector<uint32_t>>>(
      rc::gen::container<std::vector<uint32_t>>(key));
  const auto clear_before = *rc::gen::inRange<size_t>(0, batches.size() + 1);
  Twins twins(below);
  for (size_t i = 0; i < batches.size(); ++i) {
    if (i == clear_before) twins.clear();
    twins.merge(batches[i]);
  }
  for (const uint32_t merged : twins.keys()) RC_ASSERT(twins.agree(merged));
  RC_ASSERT(twins.agree(*key));
}

}  // namespace
}  // namespace kith::cluster
