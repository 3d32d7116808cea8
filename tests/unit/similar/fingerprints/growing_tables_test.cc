#include "similar/fingerprints/growing_tables.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/simhash.h"
#include "unit/similar/fingerprints/fingerprints.h"

namespace kith::similar {
namespace {

using test::flip;

// Families of up to `family` near fingerprints; 1: all random.
std::vector<uint64_t> some_values(size_t n, uint64_t family, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint64_t> values;
  while (values.size() < n) {
    const uint64_t center = rng();
    values.push_back(center);
    for (uint64_t i = 1; i < family; ++i) values.push_back(flip(center, rng.below(9), rng));
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

TEST(GrowingSimhashTables, FindAtEverySizeWhatBruteForceFinds) {
  for (const uint32_t k : {0u, 1u, 3u, 7u}) {
    const sketch::TableDesign design = sketch::table_designs(k).back();
    GrowingSimhashTables tables(design, 4, 3);
    Rng rng(k);
    std::vector<uint64_t> values;
    std::vector<uint32_t> found;
    for (int i = 0; i < 400; ++i) {
      // Some come twice.
      const uint64_t value = values.empty() || rng.below(4) == 0
                                 ? rng()
                                 : flip(values[rng.below(values.size())], rng.below(9), rng);
      for (const uint32_t distance : {0u, k}) {
        std::vector<uint32_t> expected;
        for (uint32_t id = 0; id < values.size(); ++id) {
          if (hamming_distance(values[id], value) <= distance) expected.push_back(id);
        }
        tables.find(value, distance, found);
        ASSERT_EQ(found, expected);
      }
      tables.add(value);
      values.push_back(value);
      ASSERT_EQ(tables.size(), values.size());
    }
    EXPECT_GT(tables.runs(), 1u);
    EXPECT_LT(tables.runs(), 7u);
  }
}

TEST(GrowingSimhashTables, FindInLargeRunsWhatBruteForceFinds) {
  for (const sketch::TableDesign& design : sketch::table_designs(3)) {
    if (sketch::table_count(design) > 20) continue;
    GrowingSimhashTables tables(design);
    // Families within a few bits of each other, so that many cells and pieces of cells have hits.
    const std::vector<uint64_t> values = some_values(6000, 900, 5);
    for (const uint64_t value : values) tables.add(value);
    std::vector<uint32_t> found;
    for (size_t asked = 0; asked < values.size(); asked += 20) {
      for (const uint32_t distance : {0u, 2u, 3u}) {
        std::vector<uint32_t> expected;
        for (uint32_t id = 0; id < values.size(); ++id) {
          if (hamming_distance(values[id], values[asked]) <= distance) expected.push_back(id);
        }
        tables.find(values[asked], distance, found);
        ASSERT_EQ(found, expected);
      }
    }
  }
}

}  // namespace
}  // namespace kith::similar
