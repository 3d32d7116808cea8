#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/memory.h"

namespace kith {
namespace {

using ::testing::Each;

constexpr size_t large = size_t{3} << 18;  // more than a huge page of 64-bit values

TEST(LargeArray, IsZeroAndWritable) {
  for (const size_t n : {size_t{0}, size_t{1}, size_t{1000}, large}) {
    LargeArray<uint64_t> array(n);
    ASSERT_EQ(array.size(), n);
    EXPECT_THAT(array.span(), Each(0u));
    std::iota(array.span().begin(), array.span().end(), uint64_t{7});
    if (n == 0) continue;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 64, 0u);  // a cache line
    EXPECT_EQ(array[n - 1], 6 + n);
    const LargeArray<uint64_t> moved = std::move(array);
    EXPECT_EQ(moved[n - 1], 6 + n);
  }
}

TEST(LargeArray, ShrinksInPlace) {
  for (const size_t n : {size_t{0}, size_t{1000}, 8 * large}) {
    LargeArray<uint64_t> array(n);
    std::ranges::fill(array.span(), uint64_t{5});
    const uint64_t* const place = array.data();
    array.shrink(n / 3);
    ASSERT_EQ(array.size(), n / 3);
    EXPECT_EQ(array.data(), place);
    EXPECT_THAT(array.span(), Each(5u));
  }
}

TEST(LargeArray, GivesBackWhatItShrinksBy) {
  LargeArray<uint64_t> array(8 * large);
  std::ranges::fill(array.span(), uint64_t{5});
  array.shrink(large);
  // The page of the last value that was.
  const auto page = reinterpret_cast<uintptr_t>(array.data() + 8 * large - 1) / 4096 * 4096;
  unsigned char is_resident = 1;
  ASSERT_EQ(::mincore(reinterpret_cast<void*>(page), 1, &is_resident), 0);
  EXPECT_EQ(is_resident & 1, 0);
}

TEST(LargeVector, KeepsItsValuesAsItGrows) {
  LargeVector<uint32_t> vector;
  EXPECT_EQ(vector.size(), 0u);
  EXPECT_TRUE(vector.grow(0).empty());
  std::vector<uint32_t> expected;
  for (const size_t more : {1u, 2u, 1000u, 0u, 700'000u, 5u}) {
    for (uint32_t& value : vector.grow(more)) {
      value = static_cast<uint32_t>(expected.size()) * 3;
      expected.push_back(value);
    }
    ASSERT_EQ(vector.size(), expected.size());
  }
  EXPECT_TRUE(std::ranges::equal(vector.span(), expected));
  const uint32_t* const place = vector.data();
  vector.clear();
  vector.reserve(1000);
  vector.grow(2)[1] = 9;
  EXPECT_EQ(vector.data(), place);
  EXPECT_EQ(vector[1], 9u);
}

TEST(LargeVector, ReservedRoomStaysInPlace) {
  LargeVector<uint8_t> vector;
  vector.reserve(10 * large);
  const uint8_t* const place = vector.data();
  vector.grow(3)[2] = 1;
  vector.grow(10 * large - 3);
  EXPECT_EQ(vector.data(), place);
  EXPECT_EQ(vector[2], 1);
  EXPECT_EQ(vector[10 * large - 1], 0);
}

}  // namespace
}  // namespace kith
