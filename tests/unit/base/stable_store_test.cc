#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/stores.h"

namespace kith {
namespace {

TEST(StableStore, ArraysKeepTheirPlacesAndValues) {
  StableStore store;
  EXPECT_EQ(store.bytes(), 0u);
  std::vector<std::pair<std::span<const uint32_t>, std::vector<uint32_t>>> copies;
  // Small ones, and some that are larger than a block.
  for (uint32_t i = 0; i < 3000; ++i) {
    std::vector<uint32_t> values(i % 1000 == 999 ? 300'000 : i % 97);
    std::iota(values.begin(), values.end(), i);
    copies.emplace_back(store.copy(std::span<const uint32_t>(values)), values);
  }
  uint64_t bytes = 0;
  for (const auto& [copy, values] : copies) {
    ASSERT_TRUE(std::ranges::equal(copy, values));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(copy.data()) % alignof(uint64_t), 0u);
    bytes += copy.size_bytes();
  }
  EXPECT_GE(store.bytes(), bytes);
  EXPECT_LT(store.bytes(), bytes + (4 << 20));
  store.clear();
  EXPECT_EQ(store.bytes(), 0u);
  EXPECT_EQ(store.allocate<uint64_t>(7).size(), 7u);
}

TEST(StableStore, NothingTakesNothing) {
  StableStore store;
  EXPECT_TRUE(store.copy(std::span<const uint64_t>()).empty());
  EXPECT_EQ(store.bytes(), 0u);
}

}  // namespace
}  // namespace kith
