#include "base/parallel/radix_sort.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"

namespace kith {
namespace {

std::vector<KeyId> stable_sorted(std::vector<KeyId> values) {
  std::stable_sort(values.begin(), values.end(),
                   [](const KeyId& a, const KeyId& b) { return a.key < b.key; });
  return values;
}

std::vector<KeyId> radix_sorted(std::vector<KeyId> values, unsigned threads) {
  ThreadPool pool(threads);
  std::vector<KeyId> scratch(values.size());
  radix_sort(values, scratch, pool);
  return values;
}

// n entries whose keys keep only the bits of `mask`; the ids tell the original order.
std::vector<KeyId> random_entries(size_t n, uint64_t mask, uint64_t seed) {
  Rng rng(seed);
  std::vector<KeyId> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = {rng() & mask, static_cast<uint32_t>(i)};
  return values;
}

struct Case {
  size_t n;
  uint64_t mask;
};

class RadixSortCases : public testing::TestWithParam<Case> {};

TEST_P(RadixSortCases, AgreesWithStableSort) {
  const auto [n, mask] = GetParam();
  const std::vector<KeyId> values = random_entries(n, mask, n);
  const std::vector<KeyId> expected = stable_sorted(values);
  for (const unsigned threads : {1u, 2u, 5u}) {
    EXPECT_EQ(radix_sorted(values, threads), expected) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RadixSortCases,
    testing::Values(Case{0, ~0ull}, Case{1, ~0ull}, Case{2, ~0ull}, Case{48, ~0ull},
                    Case{49, ~0ull}, Case{1000, ~0ull}, Case{100'000, ~0ull},
                    Case{100'000, 0},                      // all equal
                    Case{100'000, 1},                      // two keys
                    Case{100'000, 0xff},                   // one byte
                    Case{100'000, 0xff000000000000ffull},  // first and last byte
                    Case{100'000, 0x8000000000000001ull},  // two bits far apart
                    Case{100'000, 0x0000ffff0000ffffull},  // pairs of small ids
                    Case{5'000, 0xfff},                    // in one pass, in two, in three
                    Case{5'000, 0xffffff}, Case{50'000, 0x7ffffffff},
                    Case{50'000, 0xfffff0000},  // in three, the last bits equal
                    Case{16'384, ~0ull}, Case{16'383, 0xf0f0f0f0f0f0f0f0ull}));

TEST(RadixSort, KeepsAscendingAndDescendingInputs) {
  std::vector<KeyId> values(50'000);
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = {i / 3, i};
  EXPECT_EQ(radix_sorted(values, 2), values);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(radix_sorted(values, 2), stable_sorted(values));
}

TEST(RadixSort, SortsTheLargestKeyAndId) {
  std::vector<KeyId> values{{~0ull, UINT32_MAX}, {0, 1}, {~0ull, 0}, {~0ull - 1, 7}};
  const std::vector<KeyId> expected{{0, 1}, {~0ull - 1, 7}, {~0ull, UINT32_MAX}, {~0ull, 0}};
  EXPECT_EQ(radix_sorted(values, 1), expected);
}

TEST(RadixSort, UsesALargerScratch) {
  std::vector<KeyId> values = random_entries(20'000, ~0ull, 3);
  const std::vector<KeyId> expected = stable_sorted(values);
  std::vector<KeyId> scratch(30'000);
  ThreadPool pool(2);
  radix_sort(values, scratch, pool);
  EXPECT_EQ(values, expected);
}

TEST(RadixSort, ShortEntriesAreSortedAsStably) {
  Rng rng(5);
  for (const size_t n : {0u, 1u, 47u, 300u, 70'000u}) {
    for (const uint64_t keys : {uint64_t{3}, uint64_t{1000}, uint64_t{1} << 32}) {
      std::vector<ShortKeyId> values(n);
      std::vector<ShortKeySum> sums(n);
      for (uint32_t i = 0; i < n; ++i) {
        values[i] = {static_cast<uint32_t>(rng.below(keys)), i};
        sums[i] = {values[i].key, i, ~i};
      }
      const auto less = [](const auto& a, const auto& b) { return a.key < b.key; };
      std::vector<ShortKeyId> expected = values;
      std::stable_sort(expected.begin(), expected.end(), less);
      std::vector<ShortKeySum> expected_sums = sums;
      std::stable_sort(expected_sums.begin(), expected_sums.end(), less);
      std::vector<ShortKeyId> scratch(n);
      std::vector<ShortKeySum> sum_scratch(n);
      ThreadPool pool(3);
      std::vector<ShortKeyId> alone = values;
      radix_sort(alone, scratch);
      EXPECT_EQ(alone, expected);
      radix_sort(values, scratch, pool);
      EXPECT_EQ(values, expected);
      radix_sort(sums, sum_scratch, pool);
      EXPECT_EQ(sums, expected_sums);
    }
  }
}

RC_GTEST_PROP(RadixSortProperty, AgreesWithStableSort, (const std::vector<uint64_t>& keys)) {
  std::vector<KeyId> values;
  for (const uint64_t key : keys) {
    // Few distinct keys, so that there are ties.
    values.push_back({key % 16 << 40 | key % 5, static_cast<uint32_t>(values.size())});
  }
  RC_ASSERT(radix_sorted(values, 1) == stable_sorted(values));
}

}  // namespace
}  // namespace kith
