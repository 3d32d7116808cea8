#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "simd_levels.h"
#include "sketch/simhash.h"

namespace kith::sketch {
namespace {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

Pairs pairs_of(const std::vector<uint64_t>& values, uint32_t most, SimdLevel level) {
  Pairs pairs;
  const auto take = [](void* context, uint32_t i, uint32_t j) {
    static_cast<Pairs*>(context)->emplace_back(i, j);
  };
  hamming_kernels(level).pairs(values.data(), values.size(), most, {&pairs, take});
  std::ranges::sort(pairs);
  return pairs;
}

std::vector<uint32_t> places_of(const std::vector<uint64_t>& values, uint64_t value, uint32_t most,
                                SimdLevel level) {
  std::vector<uint32_t> places(values.size());
  places.resize(
      hamming_kernels(level).scan(value, values.data(), values.size(), most, places.data()));
  return places;
}

// Values with few bits, which are near the zeros that fill vectors, and near each other.
std::vector<uint64_t> sparse_values(size_t n, Rng& rng) {
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) {
    for (uint64_t bits = rng.below(5); bits > 0; --bits) value ^= uint64_t{1} << rng.below(64);
  }
  return values;
}

TEST(HammingKernels, AgreeWithTheDefinitionAtEveryLevelAndSize) {
  Rng rng(1);
  for (size_t n = 0; n <= 150; ++n) {
    const std::vector<uint64_t> values = sparse_values(n, rng);
    for (const uint32_t most : {0u, 3u, 7u, 64u}) {
      Pairs pairs;
      std::vector<uint32_t> places;
      for (uint32_t i = 0; i < n; ++i) {
        if (hamming_distance(values[i], 1) <= most) places.push_back(i);
        for (uint32_t j = i + 1; j < n; ++j) {
          if (hamming_distance(values[i], values[j]) <= most) pairs.emplace_back(i, j);
        }
      }
      for (const SimdLevel level : test::supported_levels(best_hamming_level())) {
        EXPECT_EQ(pairs_of(values, most, level), pairs) << n;
        EXPECT_EQ(places_of(values, 1, most, level), places) << n;
      }
    }
  }
}

TEST(HammingKernels, FindTheOneNearPairWhereverItIs) {
  Rng rng(2);
  constexpr size_t n = 70;
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = rng();
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t j = i + 1; j < n; ++j) {
      std::vector<uint64_t> with = values;
      with[j] = with[i] ^ 0x8000000100000001;
      for (const SimdLevel level : test::supported_levels(best_hamming_level())) {
        EXPECT_EQ(pairs_of(with, 3, level), (Pairs{{i, j}}));
        EXPECT_TRUE(pairs_of(with, 2, level).empty());
      }
    }
  }
}

}  // namespace
}  // namespace kith::sketch
