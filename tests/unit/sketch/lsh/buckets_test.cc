#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "sketch/lsh/tables.h"

namespace kith::sketch {
namespace {

struct Entry {
  uint64_t key;
  uint32_t id;
};

using Runs = std::vector<std::vector<uint32_t>>;

Runs runs_of(const std::vector<Entry>& sorted) {
  Runs runs;
  for_each_bucket(std::span<const Entry>(sorted), [&](std::span<const Entry> bucket) {
    runs.emplace_back();
    for (const Entry& entry : bucket) runs.back().push_back(entry.id);
  });
  return runs;
}

TEST(Buckets, EmptyOneAllEqualAllDifferent) {
  EXPECT_EQ(runs_of({}), Runs());
  EXPECT_EQ(runs_of({{5, 1}}), Runs({{1}}));
  EXPECT_EQ(runs_of({{5, 1}, {5, 2}, {5, 3}}), Runs({{1, 2, 3}}));
  EXPECT_EQ(runs_of({{0, 1}, {1, 2}, {~uint64_t{0}, 3}}), Runs({{1}, {2}, {3}}));
  EXPECT_EQ(first_bucket_size(std::span<const Entry>()), 0u);
}

RC_GTEST_PROP(Buckets, AgreeWithAMap, (const std::vector<uint8_t>& keys)) {
  std::vector<Entry> entries;
  std::map<uint64_t, std::vector<uint32_t>> expected;
  for (uint32_t id = 0; id < keys.size(); ++id) {
    const uint64_t key = keys[id] % 16;
    entries.push_back({key, id});
    expected[key].push_back(id);
  }
  std::ranges::stable_sort(entries, {}, &Entry::key);
  Runs runs;
  for (const auto& [key, ids] : expected) runs.push_back(ids);
  RC_ASSERT(runs_of(entries) == runs);
}

}  // namespace
}  // namespace kith::sketch
