#include "similar/fingerprints/simhash_tables.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "similar/fingerprints/growing_tables.h"
#include "sketch/simhash.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "unit/similar/fingerprints/fingerprints.h"

namespace kith::similar {
namespace {

using test::disk;
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

Status write(storage::FileSystem& files, const test::TempDir& dir,
             const std::vector<uint64_t>& values, const sketch::TableDesign& design,
             uint64_t memory = 1 << 20, unsigned threads = 1) {
  ThreadPool pool(threads);
  return write_simhash_tables(files, dir / "tables", values, design,
                              {.scratch = dir / "sort", .memory = memory, .block = 64}, pool);
}

std::vector<FingerprintMatch> by_brute_force(const std::vector<uint64_t>& values, uint64_t query,
                                             uint32_t distance) {
  std::vector<FingerprintMatch> matches;
  for (uint32_t place = 0; place < values.size(); ++place) {
    const uint32_t found = hamming_distance(query, values[place]);
    if (found <= distance) matches.push_back({place, found});
  }
  std::ranges::stable_sort(matches, {}, &FingerprintMatch::distance);
  return matches;
}

void expect_exact(const std::vector<uint64_t>& values, const sketch::TableDesign& design) {
  const test::TempDir dir(test::Medium::memory);
  ASSERT_TRUE(write(disk, dir, values, design));
  const auto tables = SimhashTables::open(disk, dir / "tables");
  ASSERT_TRUE(tables.is_ok());
  EXPECT_EQ(tables->design(), design);
  EXPECT_EQ(tables->size(), values.size());
  EXPECT_TRUE(tables->verify());
  Rng rng(design.outer);
  for (int i = 0; i < 100; ++i) {
    const uint64_t query =
        values.empty() ? rng() : flip(values[rng.below(values.size())], rng.below(9), rng);
    for (const uint32_t distance : {0u, design.distance / 2, design.distance}) {
      const auto found = tables->find(query, distance);
      ASSERT_TRUE(found.is_ok());
      EXPECT_EQ(*found, by_brute_force(values, query, distance));
    }
  }
}

TEST(SimhashTables, FindAllThatBruteForceFinds) {
  for (uint32_t k = 0; k <= sketch::max_distance; ++k) {
    for (const sketch::TableDesign& design : sketch::table_designs(k)) {
      if (design.outer > k + 3) continue;
      for (const uint64_t family : {1u, 40u, 2000u}) {
        expect_exact(some_values(2000, family, k), design);
      }
    }
  }
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

TEST(SimhashTables, NothingOneAndTheExtremes) {
  for (const std::vector<uint64_t>& values :
       std::vector<std::vector<uint64_t>>{{}, {0}, {~uint64_t{0}}, {0, ~uint64_t{0}}}) {
    expect_exact(values, {.distance = 3, .outer = 6, .inner = 0});
    expect_exact(values, {.distance = 0, .outer = 1, .inner = 0});
  }
}

TEST(SimhashTables, AreTheSameForAnyMemoryAndThreads) {
  const std::vector<uint64_t> values = some_values(5000, 7, 1);
  const sketch::TableDesign design{.distance = 3, .outer = 5, .inner = 0};
  const test::TempDir first;
  ASSERT_TRUE(write(disk, first, values, design));
  for (const uint64_t memory : {uint64_t{4096}, uint64_t{8} << 20}) {
    for (const unsigned threads : {1u, 3u}) {
      const test::TempDir dir;
      ASSERT_TRUE(write(disk, dir, values, design, memory, threads));
      EXPECT_EQ(test::read_file(dir / "tables"), test::read_file(first / "tables"));
    }
  }
}

TEST(SimhashTables, ADamagedByteIsFound) {
  const test::TempDir dir(test::Medium::memory);
  ASSERT_TRUE(write(disk, dir, some_values(50, 3, 2), {.distance = 1, .outer = 2, .inner = 0}));
  const std::string sound = test::read_file(dir / "tables");
  for (size_t at = 0; at < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    test::write_file(dir / "tables", damaged);
    const auto tables = SimhashTables::open(disk, dir / "tables");
    EXPECT_FALSE(tables.is_ok() && tables->verify()) << at;
  }
  for (size_t size = 0; size < sound.size(); size += 7) {
    test::write_file(dir / "tables", std::string_view(sound).substr(0, size));
    EXPECT_FALSE(SimhashTables::open(disk, dir / "tables").is_ok()) << size;
  }
}

struct TableSections {
  std::vector<uint32_t> design{1, 2, 0, 0};
  std::vector<std::vector<uint64_t>> values{{3, 9}, {3ull << 32, 9ull << 32}};
  std::vector<std::vector<uint32_t>> cells{{0, 2}, {0, 2}};
};

Result<SimhashTables> opened(const test::TempDir& dir, const TableSections& sample) {
  auto file = storage::SectionWriter::create(disk, dir / "tables", simhash_tables_kind);
  KITH_TRY(file->begin("design"));
  KITH_TRY(file->append_array(std::span<const uint32_t>(sample.design)));
  for (size_t i = 0; i < sample.values.size(); ++i) {
    KITH_TRY(file->begin("table_" + std::to_string(i)));
    KITH_TRY(file->append_array(std::span<const uint64_t>(sample.values[i])));
    KITH_TRY(file->begin("cells_" + std::to_string(i)));
    KITH_TRY(file->append_array(std::span<const uint32_t>(sample.cells[i])));
  }
  KITH_TRY(file->finish());
  return SimhashTables::open(disk, dir / "tables");
}

TEST(SimhashTables, SectionsThatDoNotFitAreRefused) {
  std::vector<TableSections> samples(11);
  samples[1].design = {8, 9, 0, 0};   // distance
  samples[2].design = {1, 1, 0, 0};   // too few blocks
  samples[3].design = {7, 12, 0, 0};  // too many tables
  samples[4].design = {1, 2, 0, 1};
  samples[5].design = {1, 2, 0};
  samples[6].values.pop_back();
  samples[7].values[1].pop_back();
  samples[8].cells[0] = {0, 1, 2};
  samples[9].cells[1] = {0, 3};
  samples[10].cells[1] = {1, 2};
  for (size_t i = 0; i < samples.size(); ++i) {
    const test::TempDir dir(test::Medium::memory);
    const auto tables = opened(dir, samples[i]);
    EXPECT_EQ(tables.is_ok(), i == 0) << i;
    EXPECT_TRUE(tables.is_ok() || tables.error().kind == ErrorKind::corrupt);
  }
}

TEST(SimhashTables, AFingerprintThatTheFirstTableLacksIsAnError) {
  TableSections sample;
  sample.values[1][1] = 8ull << 32 | 1ull << 31;
  const test::TempDir dir(test::Medium::memory);
  const auto tables = opened(dir, sample);
  ASSERT_TRUE(tables.is_ok());
  // Its upper half differs from that of the query, so that it comes from the second table.
  const auto found = tables->find(8, 1);
  ASSERT_FALSE(found.is_ok());
  EXPECT_EQ(found.error().kind, ErrorKind::corrupt);
}

TEST(SimhashTables, AFullDiskIsAnErrorAndLeavesNothing) {
  const std::vector<uint64_t> values = some_values(5000, 2, 3);
  for (const uint64_t capacity : {0u, 50'000u, 130'000u}) {
    const test::TempDir dir;
    test::FullDisk full(capacity);
    const Status status = write(full, dir, values, {.distance = 3, .outer = 4, .inner = 0}, 4096);
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().kind, ErrorKind::io);
    EXPECT_FALSE(disk.exists(dir / "tables") || disk.exists(dir / "tables.tmp"));
  }
}

}  // namespace
}  // namespace kith::similar
