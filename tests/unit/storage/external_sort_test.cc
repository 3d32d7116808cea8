#include "storage/external_sort.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "support/faulty_file_system.h"
#include "support/memory_file_system.h"
#include "support/temp_dir.h"

namespace kith::storage {
namespace {

// The twin: a stable sort, first by id and then by key.
std::vector<KeyId> twin_sorted(std::vector<KeyId> records) {
  std::ranges::stable_sort(records, {}, &KeyId::id);
  std::ranges::stable_sort(records, {}, &KeyId::key);
  return records;
}

std::vector<KeyId> random_records(size_t n, uint64_t keys, uint64_t seed) {
  Rng rng(seed);
  std::vector<KeyId> records(n);
  for (KeyId& record : records) record = {mix64(rng.below(keys)), static_cast<uint32_t>(rng())};
  return records;
}

// All records of the result, and that every block but the last is asked for in vain only once.
std::vector<KeyId> read_all(SortedRecords& sorted) {
  std::vector<KeyId> records;
  for (;;) {
    const Result<std::span<const KeyId>> block = sorted.next();
    EXPECT_TRUE(block.is_ok());
    if (!block.is_ok() || block->empty()) break;
    records.insert(records.end(), block->begin(), block->end());
  }
  EXPECT_TRUE(sorted.next()->empty());
  return records;
}

// Appends with every writer of the options in turn, from one thread.
std::vector<KeyId> sorted_by(FileSystem& fs, unsigned threads, ExternalSortOptions options,
                             const std::vector<KeyId>& records) {
  ThreadPool pool(threads);
  ExternalSort sort(fs, pool, options);
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_TRUE(sort.append(records[i], static_cast<unsigned>(i % options.writers)).is_ok());
  }
  Result<SortedRecords> sorted = sort.finish();
  EXPECT_TRUE(sorted.is_ok());
  return read_all(*sorted);
}

// Files in memory that tell how many were made, and which are left.
class CountingFileSystem : public test::MemoryFileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    ++created;
    left.insert(path);
    return MemoryFileSystem::create(path);
  }
  Status remove(const std::string& path) override {
    left.erase(path);
    return MemoryFileSystem::remove(path);
  }

  size_t created = 0;
  std::set<std::string> left;
};

RC_GTEST_PROP(ExternalSort, AgreesWithAStableSort, ()) {
  const auto size = *rc::gen::inRange<size_t>(0, 2000);
  const auto keys = *rc::gen::inRange<uint64_t>(1, 300);
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  const ExternalSortOptions options{
      .scratch = "sort",
      .memory = *rc::gen::inRange<uint64_t>(0, 40'000),
      .writers = *rc::gen::inRange(1u, 4u),
      .block = *rc::gen::inRange<size_t>(16, 400),
  };
  CountingFileSystem fs;
  const std::vector<KeyId> records = random_records(size, keys, seed);
  RC_ASSERT(sorted_by(fs, 1, options, records) == twin_sorted(records));
  RC_ASSERT(fs.left.empty());
}

TEST(ExternalSort, OfNothingIsEmpty) {
  for (const unsigned threads : {1u, 3u}) {
    for (const unsigned writers : {1u, 2u}) {
      CountingFileSystem fs;
      const ExternalSortOptions options{.scratch = "sort", .memory = 1000, .writers = writers};
      EXPECT_TRUE(sorted_by(fs, threads, options, {}).empty());
      EXPECT_EQ(fs.created, 0u);
    }
  }
}

// Ids beyond 32 bits come back whole, from memory and from files.
TEST(ExternalSort, SortsWideIds) {
  for (const uint64_t memory : {uint64_t{1000}, uint64_t{1} << 20}) {
    Rng rng(memory);
    std::vector<WideKeyId> records(3000);
    for (WideKeyId& record : records) record = {rng.below(200), rng()};
    CountingFileSystem fs;
    ThreadPool pool(2);
    WideExternalSort sort(fs, pool, {.scratch = "sort", .memory = memory, .block = 256});
    for (const WideKeyId& record : records) ASSERT_TRUE(sort.append(record).is_ok());
    Result<WideSortedRecords> sorted = sort.finish();
    ASSERT_TRUE(sorted.is_ok());
    std::vector<WideKeyId> found;
    for (;;) {
      const auto block = sorted->next();
      ASSERT_TRUE(block.is_ok());
      if (block->empty()) break;
      found.insert(found.end(), block->begin(), block->end());
    }
    std::ranges::sort(records, precedes<WideKeyId>);
    EXPECT_EQ(found, records);
    EXPECT_EQ(fs.created > 0, memory == 1000);
  }
}

TEST(ExternalSort, OrdersByKeyAndThenById) {
  EXPECT_TRUE(precedes<KeyId>({1, 9}, {2, 0}));
  EXPECT_FALSE(precedes<KeyId>({2, 0}, {1, 9}));
  EXPECT_TRUE(precedes<KeyId>({1, 1}, {1, 2}));
  EXPECT_FALSE(precedes<KeyId>({1, 1}, {1, 1}));
}

TEST(ExternalSort, MergesOnSeveralLevels) {
  // 1000 bytes are 31 records a run and 3 runs a merge.
  const ExternalSortOptions options{.scratch = "sort", .memory = 1000, .block = 250};
  const std::vector<KeyId> records = random_records(5000, ~0ull, 1);
  CountingFileSystem fs;
  EXPECT_EQ(sorted_by(fs, 1, options, records), twin_sorted(records));
  constexpr size_t runs = (5000 + 30) / 31;
  EXPECT_EQ(fs.created, runs + (runs - 3 + 1) / 2);  // a merge makes three runs one
}

TEST(ExternalSort, WritesNothingWhenEverythingFits) {
  CountingFileSystem fs;
  const std::vector<KeyId> records = random_records(1000, 50, 2);
  for (const unsigned writers : {1u, 3u}) {
    const ExternalSortOptions options{
        .scratch = "sort", .memory = 334 * 32 * 3, .writers = writers, .block = 64};
    EXPECT_EQ(sorted_by(fs, 2, options, records), twin_sorted(records));
  }
  EXPECT_EQ(fs.created, 0u);
}

TEST(ExternalSort, ASmallInputDoesNotAskForAllOfTheMemory) {
  CountingFileSystem fs;
  const std::vector<KeyId> records = random_records(1000, 50, 5);
  const uint64_t more_than_there_is = uint64_t{1} << 55;
  EXPECT_EQ(sorted_by(fs, 2, {.scratch = "sort", .memory = more_than_there_is}, records),
            twin_sorted(records));
}

TEST(ExternalSort, SortsNothing) {
  CountingFileSystem fs;
  EXPECT_TRUE(sorted_by(fs, 1, {.scratch = "sort"}, {}).empty());
  EXPECT_TRUE(sorted_by(fs, 2, {.scratch = "sort", .writers = 2}, {}).empty());
}

TEST(ExternalSort, KeepsTheLargestAndEqualRecords) {
  const std::vector<KeyId> records{
      {~0ull, UINT32_MAX}, {~0ull, UINT32_MAX}, {0, 0}, {~0ull, 0}, {0, 0}, {0, UINT32_MAX}};
  CountingFileSystem fs;
  const ExternalSortOptions tiny{.scratch = "sort", .memory = 0, .block = 16};
  EXPECT_EQ(sorted_by(fs, 1, tiny, records), twin_sorted(records));
}

TEST(ExternalSort, IsTheSameForAnyThreadsAndWriters) {
  const test::TempDir dir;
  const std::vector<KeyId> records = random_records(200'000, 20'000, 3);
  const std::vector<KeyId> expected = twin_sorted(records);
  for (const unsigned threads : {1u, 3u}) {
    for (const uint64_t memory : {uint64_t{600'000}, uint64_t{1} << 30}) {
      ThreadPool pool(threads);
      ExternalSort sort(
          posix_file_system(), pool,
          {.scratch = dir / "sort", .memory = memory, .writers = threads, .block = 4096});
      pool.for_chunks(records.size(), 1000, [&](size_t begin, size_t end, unsigned worker) {
        for (size_t i = begin; i < end; ++i) EXPECT_TRUE(sort.append(records[i], worker).is_ok());
      });
      Result<SortedRecords> sorted = sort.finish();
      ASSERT_TRUE(sorted.is_ok());
      EXPECT_EQ(read_all(*sorted), expected) << threads << " threads, " << memory << " bytes";
    }
  }
  // The same by one writer, whose buffers the pool sorts.
  EXPECT_EQ(sorted_by(posix_file_system(), 3,
                      {.scratch = dir / "sort", .memory = 4'000'000, .block = 4096}, records),
            expected);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(ExternalSort, AFullDiskIsAnErrorAndLeavesNoFile) {
  const test::TempDir dir;
  const std::vector<KeyId> records = random_records(5000, ~0ull, 4);
  // 60,000 bytes of runs: the disk fills in the first run, between runs, and in a merge.
  for (const uint64_t capacity : {0, 100, 30'000, 59'999, 60'000, 100'000}) {
    test::FullDisk fs(capacity);
    Status status;
    {
      ThreadPool pool(1);
      ExternalSort sort(fs, pool, {.scratch = dir / "sort", .memory = 2000, .block = 250});
      for (size_t i = 0; i < records.size() && status.is_ok(); ++i)
        status = sort.append(records[i]);
      if (status.is_ok()) status = sort.finish().status();
    }
    ASSERT_FALSE(status.is_ok()) << capacity;
    EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(dir.path())) << capacity;
  }
}

TEST(ExternalSort, ARunThatShrankIsAnError) {
  const test::TempDir dir;
  ThreadPool pool(1);
  ExternalSort sort(posix_file_system(), pool,
                    {.scratch = dir / "sort", .memory = 3200, .block = 160});
  for (uint32_t i = 0; i < 150; ++i) ASSERT_TRUE(sort.append({i, i}).is_ok());
  Result<SortedRecords> sorted = sort.finish();  // two runs; it has read a block of each
  ASSERT_TRUE(sorted.is_ok());
  std::filesystem::resize_file(dir / "sort.0", 1100);
  Status status;
  while (status.is_ok()) {
    const auto block = sorted->next();
    status = block.status();
    ASSERT_FALSE(block.is_ok() && block->empty()) << "the end came without an error";
  }
  EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
  EXPECT_NE(status.error().message.find("sort.0"), std::string::npos);
}

}  // namespace
}  // namespace kith::storage
