#include "sketch/lsh/permuted_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace kith::sketch {
namespace {

std::vector<uint32_t> prefixes(const TableDesign& design) {
  std::vector<uint32_t> bits;
  for (const PermutedTable& table : permuted_tables(design)) bits.push_back(table.prefix_bits());
  std::ranges::sort(bits);
  return bits;
}

// Manku, Jain, Das Sarma 2007, section 3: 64 bits, k = 3.
TEST(PermutedTables, FiguresOfManku) {
  const std::vector<uint32_t> twenty = prefixes({.distance = 3, .outer = 6, .inner = 0});
  EXPECT_EQ(twenty.size(), 20u);  // example 3.1 and figure: six blocks of 11 or 10 bits, three lead
  EXPECT_EQ(twenty.front(), 31u);
  EXPECT_EQ(twenty.back(), 33u);
  const std::vector<uint32_t> sixteen = prefixes({.distance = 3, .outer = 4, .inner = 4});
  EXPECT_EQ(sixteen, std::vector<uint32_t>(16, 28));
  const std::vector<uint32_t> ten = prefixes({.distance = 3, .outer = 5, .inner = 0});
  EXPECT_EQ(ten.size(), 10u);
  EXPECT_EQ(ten.front(), 25u);
  EXPECT_EQ(ten.back(), 26u);
  EXPECT_EQ(prefixes({.distance = 3, .outer = 4, .inner = 0}), std::vector<uint32_t>(4, 16));
}

TEST(PermutedTables, DesignsForThreeBitsHaveTheNumbersOfMankuFirst) {
  std::vector<uint32_t> counts;
  for (const TableDesign& design : table_designs(3)) counts.push_back(table_count(design));
  EXPECT_EQ(counts, (std::vector<uint32_t>{4, 10, 16, 20, 35, 56}));
}

TEST(PermutedTables, PermutationsMoveEveryBitOnceAndBack) {
  Rng rng(1);
  for (uint32_t k = 0; k <= max_distance; ++k) {
    for (const TableDesign& design : table_designs(k)) {
      const std::vector<PermutedTable> tables = permuted_tables(design);
      EXPECT_EQ(tables.size(), table_count(design));
      EXPECT_EQ(tables.front().prefix_mask(), ~uint64_t{0} << (64 - tables.front().prefix_bits()));
      for (const PermutedTable& table : tables) {
        EXPECT_EQ(static_cast<uint32_t>(std::popcount(table.prefix_mask())), table.prefix_bits());
        uint64_t moved = 0;
        for (uint32_t bit = 0; bit < 64; ++bit) {
          const uint64_t to = table.permute(uint64_t{1} << bit);
          EXPECT_EQ(std::popcount(to), 1);
          const bool leads = static_cast<uint32_t>(std::countl_zero(to)) < table.prefix_bits();
          EXPECT_EQ(leads, (table.prefix_mask() >> bit & 1) != 0);
          moved |= to;
        }
        EXPECT_EQ(moved, ~uint64_t{0});
        const uint64_t value = rng();
        EXPECT_EQ(table.restore(table.permute(value)), value);
      }
      EXPECT_EQ(tables.front().permute(0x0123456789abcdef), 0x0123456789abcdefu);
    }
  }
}

bool meets(const std::vector<PermutedTable>& tables, uint64_t difference) {
  return std::ranges::any_of(tables, [&](const PermutedTable& table) {
    return std::countl_zero(table.permute(difference)) >= static_cast<int>(table.prefix_bits());
  });
}

// All differences of up to k bits for small k, random ones for the others.
TEST(PermutedTables, EveryPairWithinTheDistanceMeets) {
  Rng rng(2);
  for (uint32_t k = 0; k <= max_distance; ++k) {
    for (const TableDesign& design : table_designs(k)) {
      const std::vector<PermutedTable> tables = permuted_tables(design);
      EXPECT_TRUE(meets(tables, 0));
      for (int i = 0; i < 3000; ++i) {
        uint64_t difference = 0;
        while (static_cast<uint32_t>(std::popcount(difference)) < k) {
          difference |= uint64_t{1} << rng.below(64);
        }
        EXPECT_TRUE(meets(tables, difference)) << k << " " << difference;
      }
    }
  }
  for (const TableDesign& design : table_designs(2)) {
    const std::vector<PermutedTable> tables = permuted_tables(design);
    for (uint32_t a = 0; a < 64; ++a) {
      for (uint32_t b = 0; b <= a; ++b) {
        EXPECT_TRUE(meets(tables, uint64_t{1} << a | uint64_t{1} << b));
      }
    }
  }
}

// With one difference more than it is made for, a design of one level misses some pair.
TEST(PermutedTables, OneBitMoreThanTheDistanceCanBeMissed) {
  const std::vector<PermutedTable> tables =
      permuted_tables({.distance = 3, .outer = 4, .inner = 0});
  EXPECT_FALSE(meets(tables, 0x0001000100010001));
}

TEST(CutBlocks, AreConsecutiveAndEven) {
  EXPECT_EQ(cut_blocks(~uint64_t{0}, 1), std::vector<uint64_t>{~uint64_t{0}});
  EXPECT_EQ(cut_blocks(0xff, 2), (std::vector<uint64_t>{0xf0, 0x0f}));
  EXPECT_EQ(cut_blocks(0x8000000000000103, 3),
            (std::vector<uint64_t>{0x8000000000000100, 0x2, 0x1}));
  EXPECT_EQ(cut_blocks(0x6, 3), (std::vector<uint64_t>{0x4, 0x2, 0}));
  EXPECT_EQ(cut_blocks(0, 2), (std::vector<uint64_t>{0, 0}));
}

TEST(IsSound, SaysWhatCanBeMade) {
  EXPECT_TRUE(is_sound({.distance = 0, .outer = 1, .inner = 0}));
  EXPECT_TRUE(is_sound({.distance = 7, .outer = 8, .inner = 8}));
  EXPECT_FALSE(is_sound({.distance = 8, .outer = 9, .inner = 0}));
  EXPECT_FALSE(is_sound({.distance = 3, .outer = 3, .inner = 0}));
  EXPECT_FALSE(is_sound({.distance = 3, .outer = 4, .inner = 3}));
  EXPECT_FALSE(is_sound({.distance = 0, .outer = 1, .inner = 1}));
  EXPECT_FALSE(is_sound({.distance = 1, .outer = 65, .inner = 0}));
  EXPECT_FALSE(is_sound({.distance = 7, .outer = 10, .inner = 0}));  // 120 tables
  EXPECT_FALSE(is_sound({.distance = 1, .outer = 64, .inner = 2}));  // the second level has one bit
  EXPECT_FALSE(is_sound({.distance = 7, .outer = UINT32_MAX, .inner = UINT32_MAX}));
}

TEST(QueryCost, CountsProbesAndCandidates) {
  const double n = 1u << 26;
  const QueryCost four = query_cost({.distance = 3, .outer = 4, .inner = 0}, n);
  EXPECT_EQ(four.probes, 4u);
  EXPECT_DOUBLE_EQ(four.candidates, 4 * 1024.0);
  // Manku's example: 2^34 fingerprints, sixteen tables of 28 bits: 64 candidates a probe.
  const QueryCost sixteen = query_cost({.distance = 3, .outer = 4, .inner = 4}, std::exp2(34));
  EXPECT_DOUBLE_EQ(sixteen.candidates, 16 * 64.0);
}

TEST(ChooseDesign, MoreFingerprintsTakeMoreTables) {
  uint32_t last = 0;
  for (const uint64_t n : {uint64_t{1000}, uint64_t{20'000'000}, uint64_t{8} << 30}) {
    const uint32_t tables = table_count(*choose_design(n, 3, 20));
    EXPECT_GE(tables, last);
    last = tables;
  }
  EXPECT_EQ(table_count(*choose_design(120'000'000, 3, 20)), 4u);
  EXPECT_EQ(table_count(*choose_design(130'000'000, 3, 20)), 10u);
  EXPECT_GT(last, 4u);
  EXPECT_EQ(table_count(*choose_design(uint64_t{8} << 30, 3, 9)), 4u);
}

TEST(ChooseDesign, SaysWhatItCannot) {
  EXPECT_EQ(choose_design(1, 8, 64).error().kind, ErrorKind::usage);
  const auto few = choose_design(1, 3, 3);
  ASSERT_FALSE(few.is_ok());
  EXPECT_NE(few.error().message.find("at least 4"), std::string::npos);
}

TEST(ChooseJoinBlocks, AreMoreForMoreFingerprints) {
  for (uint32_t k = 0; k <= max_distance; ++k) {
    uint32_t last = k + 1;
    for (double n = 1; n < 4e9; n *= 10) {
      const uint32_t blocks = choose_join_blocks(static_cast<uint64_t>(n), k);
      EXPECT_GE(blocks, last);
      EXPECT_LE(blocks, k + 8);
      last = blocks;
    }
  }
}

}  // namespace
}  // namespace kith::sketch
