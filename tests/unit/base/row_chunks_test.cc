#include <vector>

#include <gtest/gtest.h>

#include "base/stores.h"

namespace kith {
namespace {

TEST(RowChunks, AreZeroAtFirstAndStayWhereTheyAre) {
  constexpr uint32_t per_row = 3;
  constexpr uint32_t rows = 150'000;  // some chunks of the largest size
  RowChunks<uint32_t> chunks(per_row);
  std::vector<const uint32_t*> places;
  for (uint32_t row = 0; row < rows; ++row) {
    chunks.reserve(row + 1);
    uint32_t* const values = chunks[row];
    for (uint32_t i = 0; i < per_row; ++i) {
      ASSERT_EQ(values[i], 0u) << row;
      values[i] = per_row * row + i;
    }
    places.push_back(values);
  }
  const RowChunks<uint32_t>& read = chunks;
  for (uint32_t row = 0; row < rows; ++row) {
    ASSERT_EQ(read[row], places[row]);
    for (uint32_t i = 0; i < per_row; ++i) ASSERT_EQ(read[row][i], per_row * row + i);
  }
}

TEST(RowChunks, OfFewRowsAreSmallAndOfManyHardlyLargerThanThese) {
  RowChunks<uint64_t> chunks(8);
  EXPECT_EQ(chunks.bytes(), 0u);
  chunks.reserve(1);
  EXPECT_EQ(chunks.bytes(), 256u * 64);
  chunks.reserve(256);
  EXPECT_EQ(chunks.bytes(), 256u * 64);
  chunks.reserve(257);
  EXPECT_EQ(chunks.bytes(), 512u * 64);
  chunks.reserve(1'000'000);
  EXPECT_LT(chunks.bytes(), 1'040'000u * 64);
}

}  // namespace
}  // namespace kith
