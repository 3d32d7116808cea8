#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/signature.h"

namespace kith::sketch {
namespace {

using Row = std::vector<uint8_t>;

// Bytes of a small alphabet, so that many are equal.
Row random_bytes(Rng& rng, size_t size) {
  Row row(size);
  for (uint8_t& byte : row) byte = static_cast<uint8_t>(rng.below(3) * 100);
  return row;
}

class Compare : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (GetParam() > best_simd_level()) GTEST_SKIP() << "this processor lacks the instructions";
  }
};

TEST_P(Compare, KernelAgreesWithScalarForEverySize) {
  Rng rng(1);
  const CountEqualKernel kernel = count_equal_kernel(GetParam());
  for (size_t size = 0; size <= 300; ++size) {
    const Row a = random_bytes(rng, size);
    const Row b = random_bytes(rng, size);
    EXPECT_EQ(kernel(a.data(), b.data(), size), count_equal_scalar(a, b));
  }
}

// More than 255 vectors: byte-wide counters must not overflow.
TEST_P(Compare, LongEqualRowsAreCountedInFull) {
  const CountEqualKernel kernel = count_equal_kernel(GetParam());
  for (const size_t size : {1024, 8160, 8161, 8192, 100000}) {
    const Row a(size, 255);
    const Row b(size, 0);
    EXPECT_EQ(kernel(a.data(), a.data(), size), size);
    EXPECT_EQ(kernel(a.data(), b.data(), size), 0u);
  }
}

TEST_P(Compare, SelectionAndBitsAgreeWithScalar) {
  Rng rng(3);
  const RowKernels& kernels = row_kernels(GetParam());
  for (const size_t size : {1u, 16u, 63u, 64u, 80u, 128u, 144u, 1024u}) {
    constexpr size_t count = 40;
    const Row rows = random_bytes(rng, count * size);
    const Row row = random_bytes(rng, size);
    const std::span<const uint8_t> all(rows);
    const auto least = static_cast<uint32_t>(size / 3);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < count; ++i) {
      const auto other = all.subspan(i * size, size);
      if (count_equal_scalar(row, other) >= least) expected.push_back(i);
      std::vector<uint64_t> words((size + 63) / 64, ~uint64_t{0});
      kernels.equal_bits(row.data(), other.data(), size, words.data());
      for (size_t byte = 0; byte < words.size() * 64; ++byte) {
        const bool equal = byte < size && row[byte] == other[byte];
        ASSERT_EQ((words[byte / 64] >> byte % 64 & 1) != 0, equal);
      }
    }
    std::vector<uint32_t> selected(count);
    selected.resize(kernels.select(row.data(), rows.data(), size, count, least, selected.data()));
    EXPECT_EQ(selected, expected);
  }
}

std::string level_name(const testing::TestParamInfo<SimdLevel>& level) {
  const char* const names[] = {"scalar", "avx2", "avx512"};
  return names[static_cast<size_t>(level.param)];
}

INSTANTIATE_TEST_SUITE_P(Levels, Compare,
                         testing::Values(SimdLevel::scalar, SimdLevel::avx2, SimdLevel::avx512),
                         level_name);

TEST(CountEqual, CountsPositionsNotValues) {
  const Row a = {1, 2, 3, 4};
  const Row b = {1, 3, 2, 4};
  EXPECT_EQ(count_equal(a, b), 2u);
  EXPECT_EQ(count_equal(a, a), 4u);
  EXPECT_EQ(count_equal(Row{}, Row{}), 0u);
}

}  // namespace
}  // namespace kith::sketch
