// The paper's pairs against their definition, pair by pair.
#include "jobs/paper/join.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "similar/duplicates.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_scan.h"
#include "similar/tables/bucket_split.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "unit/similar/collections.h"

namespace kith::jobs {
namespace {

using Signature = std::array<uint32_t, paper_lanes>;

constexpr uint64_t sketch_seed = 5;
constexpr uint64_t table_seed = 6;

struct FoundPairs {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> survivors;  // ids, equal bytes
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> meetings;   // ids, rounds
  std::vector<similar::Pair> verified;
  PaperJoinReport report;
};

std::vector<uint32_t> distinct_ids(const sketch::BagCollection& bags) {
  ThreadPool pool(1);
  return similar::distinct_bags(bags, similar::find_duplicates(bags, pool));
}

// All signatures in memory.
struct Rows {
  explicit Rows(const sketch::BagCollection& bags) {
    const PaperSketcher sketcher(sketch_seed);
    low_bytes.resize(bags.size() * paper_lanes);
    for (const uint32_t id : distinct_ids(bags)) {
      if (!has_paper_copies(bags[id])) continue;
      ids.push_back(id);
      sketcher.sketch(bags[id], minima.emplace_back());
      std::ranges::transform(minima.back(), &low_bytes[size_t{id} * paper_lanes],
                             [](uint32_t value) { return value % 256; });
    }
  }

  std::vector<uint32_t> ids;
  std::vector<Signature> minima;    // by row
  std::vector<uint16_t> low_bytes;  // by id, as BucketSplits reads them
};

// Two rows meet in a round when they are in the same part of it.
using Parts = std::vector<uint64_t>;  // by row

// The definition of a round: the rows by their three minima, and what splits say of large buckets.
Parts parts_of_round(const Rows& rows, const sketch::Tables& tables, uint32_t round, size_t largest,
                     PairCounts& counts) {
  std::map<std::array<uint32_t, paper_per_key>, std::vector<uint32_t>> buckets;
  for (uint32_t row = 0; row < rows.minima.size(); ++row) {
    std::array<uint32_t, paper_per_key> key;
    std::ranges::transform(tables.subset(round), key.begin(),
                           [&](uint16_t lane) { return rows.minima[row][lane]; });
    buckets[key].push_back(row);
  }
  similar::BucketSizes sizes;
  for (const auto& [key, members] : buckets) sizes.add(members.size(), largest);
  similar::BucketSplits splits(tables, similar::raised_bound(largest, sizes, rows.minima.size()));
  const sketch::Signatures signatures(rows.low_bytes, paper_lanes);
  const similar::MappedRows low(signatures, rows.ids);
  Parts parts(rows.minima.size());
  uint64_t number = 0;
  for (const auto& [key, members] : buckets) {
    const uint64_t table_key = ++number << 32;
    if (members.size() > splits.largest(round)) {
      ++counts.split_buckets;
      counts.split_members += members.size();
      counts.largest_split = std::max<uint64_t>(counts.largest_split, members.size());
      std::vector<uint32_t> divided = members;
      splits.split(round, similar::bucket_key(table_key), low, divided, [](std::span<uint32_t>) {});
    }
    for (const uint32_t row : members) parts[row] = splits.place(round, table_key, low, row).part;
  }
  return parts;
}

std::vector<Parts> parts_by_definition(const Rows& rows, size_t largest, PairCounts& counts) {
  const sketch::Tables tables(paper_table_params(table_seed));
  std::vector<Parts> parts;
  for (uint32_t round = 0; round < paper_tables; ++round) {
    parts.push_back(parts_of_round(rows, tables, round, largest, counts));
  }
  return parts;
}

// The definition: every pair is looked at in every round.
FoundPairs by_definition(const sketch::BagCollection& bags, uint32_t min_sum,
                         uint32_t largest = similar::largest_bucket) {
  const Rows rows(bags);
  const std::vector<uint32_t>& ids = rows.ids;
  FoundPairs found;
  const std::vector<Parts> rounds = parts_by_definition(rows, largest, found.report.counts);
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t j = i + 1; j < ids.size(); ++j) {
      uint32_t met = 0;
      for (const Parts& parts : rounds) met += parts[i] == parts[j];
      const Signature& a = rows.minima[i];
      const Signature& b = rows.minima[j];
      uint32_t equal = 0;
      for (size_t lane = 0; lane < paper_lanes; ++lane) equal += a[lane] % 256 == b[lane] % 256;
      found.report.counts.collisions += met;
      if (met == 0 || equal < paper_min_equal) continue;
      found.report.counts.passed += met;
      found.survivors[{ids[i], ids[j]}] = equal;
      found.meetings[{ids[i], ids[j]}] = met;
      const uint32_t sum = sketch::sum_of_minima(bags[ids[i]], bags[ids[j]]);
      if (sum >= min_sum) found.verified.push_back({ids[i], ids[j], sum});
    }
  }
  return found;
}

Result<storage::SortedRecords> join(storage::FileSystem& fs, const std::string& scratch,
                                    const PaperSignatureFile& signatures, uint64_t memory,
                                    ThreadPool& pool, PaperJoinReport& report,
                                    uint32_t largest = similar::largest_bucket) {
  return paper_join(fs, signatures,
                    {.scratch = scratch,
                     .memory = memory,
                     .block = 64,
                     .seed = table_seed,
                     .largest_bucket = largest},
                    pool, report);
}

FoundPairs by_rounds(const sketch::BagCollection& bags, uint32_t min_sum, uint64_t memory,
                     unsigned threads, uint32_t largest = similar::largest_bucket) {
  const test::TempDir dir;
  storage::FileSystem& fs = storage::posix_file_system();
  ThreadPool pool(threads);
  const auto signatures =
      PaperSignatureFile::create(fs, dir / "sign", bags, distinct_ids(bags), sketch_seed, pool);
  EXPECT_TRUE(signatures.is_ok());
  FoundPairs found;
  auto survivors = join(fs, dir / "pairs", *signatures, memory, pool, found.report, largest);
  EXPECT_TRUE(survivors.is_ok());
  for (auto block = survivors->next(); block.is_ok() && !block->empty();
       block = survivors->next()) {
    for (const KeyId& pair : *block) {
      const std::pair ids(signatures->id(pair.key >> 32),
                          signatures->id(static_cast<uint32_t>(pair.key)));
      found.survivors[ids] = pair.id;
      ++found.meetings[ids];
    }
  }
  // Once more, for a stream that nobody has read.
  PaperJoinReport again;
  survivors = join(fs, dir / "pairs", *signatures, memory, pool, again, largest);
  const Status status =
      verify_survivors(*survivors, *signatures, bags, min_sum, 1000, pool, again,
                       [&](std::span<const similar::Pair> pairs) {
                         found.verified.insert(found.verified.end(), pairs.begin(), pairs.end());
                         return Status::ok();
                       });
  EXPECT_TRUE(status.is_ok());
  EXPECT_EQ(again.counts.candidates, found.survivors.size());
  EXPECT_EQ(again.counts.similar, found.verified.size());
  return found;
}

void expect_equal(const FoundPairs& found, const FoundPairs& expected) {
  EXPECT_EQ(found.report.counts.collisions, expected.report.counts.collisions);
  EXPECT_EQ(found.report.counts.passed, expected.report.counts.passed);
  EXPECT_EQ(found.report.counts.split_buckets, expected.report.counts.split_buckets);
  EXPECT_EQ(found.report.counts.split_members, expected.report.counts.split_members);
  EXPECT_EQ(found.report.counts.largest_split, expected.report.counts.largest_split);
  EXPECT_TRUE(found.survivors == expected.survivors);
  EXPECT_TRUE(found.meetings == expected.meetings);
  EXPECT_TRUE(found.verified == expected.verified);
}

TEST(PaperJoin, FindsThePairsOfItsDefinition) {
  const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
  for (const similar::NamedBags& named : similar::all_collections(300)) {
    SCOPED_TRACE(named.name);
    const FoundPairs expected = by_definition(named.bags.view(), min_sum);
    const FoundPairs found = by_rounds(named.bags.view(), min_sum, uint64_t{64} << 20, 1);
    expect_equal(found, expected);
    EXPECT_EQ(found.report.counts.blocks, 1u);
  }
}

// One-byte signatures of 15,000 bytes, of which a part is in memory: passes over blocks of URLs,
// and sorts in several runs.
TEST(PaperJoin, IsTheSameForAnyMemoryAndThreads) {
  const test::OwnedBags bags = test::random_bags({.bags = 200, .topics = 3, .seed = 4});
  const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
  const FoundPairs expected = by_definition(bags.view(), min_sum);
  EXPECT_GT(expected.verified.size(), 20u);
  EXPECT_GT(expected.survivors.size(), expected.verified.size());  // the filter lets some through
  constexpr std::pair<uint64_t, unsigned> cases[] = {{6000, 1}, {6000, 3}, {20'000, 2}};
  for (const auto& [memory, threads] : cases) {
    SCOPED_TRACE(std::to_string(memory) + " bytes, " + std::to_string(threads) + " threads");
    const FoundPairs found = by_rounds(bags.view(), min_sum, memory, threads);
    expect_equal(found, expected);
    EXPECT_GT(found.report.counts.blocks, 2u);
  }
}

TEST(PaperJoin, DividesLargeBucketsByTheirDefinition) {
  const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
  size_t divided = 0;
  for (const similar::NamedBags& named : similar::all_collections(300)) {
    SCOPED_TRACE(named.name);
    const sketch::BagCollection& bags = named.bags.view();
    const FoundPairs expected = by_definition(bags, min_sum, 4);
    expect_equal(by_rounds(bags, min_sum, uint64_t{64} << 20, 1, 4), expected);
    expect_equal(by_rounds(bags, min_sum, 6000, 3, 4), expected);
    divided += expected.report.counts.split_buckets > 0;
  }
  EXPECT_GT(divided, 2u);
}

// Pages of one template, none equal to another.
test::OwnedBags template_pages(uint32_t pages) {
  test::OwnedBags bags;
  for (uint32_t page = 0; page < pages; ++page) {
    std::vector<std::pair<uint32_t, double>> words;
    for (uint32_t word = 0; word < 30; ++word) words.push_back({word, 1.0});
    for (uint32_t word = 0; word < 2; ++word) words.push_back({100 + 2 * page + word, 1.0});
    bags.add(words);
  }
  return bags;
}

// With all pairs of every bucket it were hundreds of millions.
TEST(PaperJoin, PairsOfATemplateGrowWithItsPages) {
  constexpr uint64_t pages = 4000;
  constexpr uint32_t largest = 16;
  const test::OwnedBags bags = template_pages(pages);
  PairCounts expected;
  for (const Parts& parts : parts_by_definition(Rows(bags.view()), largest, expected)) {
    std::map<uint64_t, uint64_t> sizes;
    for (const uint64_t part : parts) ++sizes[part];
    for (const auto& [part, size] : sizes) expected.collisions += size * (size - 1) / 2;
  }
  const test::TempDir dir;
  storage::FileSystem& fs = storage::posix_file_system();
  ThreadPool pool(2);
  const auto signatures = PaperSignatureFile::create(fs, dir / "sign", bags.view(),
                                                     distinct_ids(bags.view()), sketch_seed, pool);
  ASSERT_TRUE(signatures.is_ok());
  PaperJoinReport report;
  ASSERT_TRUE(
      join(fs, dir / "pairs", *signatures, uint64_t{1} << 20, pool, report, largest).is_ok());
  EXPECT_EQ(report.counts.collisions, expected.collisions);
  EXPECT_LE(report.counts.collisions, paper_tables * pages * (largest - 1) / 2);
  EXPECT_EQ(report.counts.split_buckets, expected.split_buckets);
  EXPECT_EQ(report.counts.split_members, expected.split_members);
  EXPECT_EQ(report.counts.largest_split, expected.largest_split);
  EXPECT_GE(report.counts.split_buckets, paper_tables);
  EXPECT_GT(report.counts.largest_split, pages / 2);
}

// In the signatures, in the keys of a round, and later.
TEST(PaperJoin, AFullDiskIsAnErrorAtAnyPoint) {
  const test::OwnedBags bags = test::random_bags({.bags = 200, .topics = 3, .seed = 5});
  for (const uint64_t capacity : {1000, 40'000, 70'000, 200'000}) {
    const test::TempDir dir;
    test::FullDisk fs(capacity);
    ThreadPool pool(1);
    const auto signatures = PaperSignatureFile::create(fs, dir / "sign", bags.view(),
                                                       distinct_ids(bags.view()), 1, pool);
    Status status = signatures.status();
    if (status.is_ok()) {
      PaperJoinReport report;
      status = join(fs, dir / "pairs", *signatures, 700, pool, report).status();
    }
    ASSERT_FALSE(status.is_ok()) << capacity;
    EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
  }
}

// R(s) of the paper's parameters with its filter, against the share of a sample of pairs at one
// similarity that is found.
TEST(PaperJoin, RecallIsAsPromised) {
  test::OwnedBags bags;
  constexpr uint32_t pairs = 1500;
  for (uint32_t pair = 0; pair < pairs; ++pair) {
    std::vector<std::pair<uint32_t, double>> a, b;
    for (uint32_t i = 0; i < 20; ++i) {
      const auto word = [&](uint32_t j) {
        return static_cast<uint32_t>(mix64(pair * 64 + j) >> 34);
      };
      a.push_back({word(i), 1.0});
      b.push_back({word(i < 8 ? i : i + 32), 1.0});  // 8 of 32: a similarity of 0.25
    }
    bags.add(a);
    bags.add(b);
  }
  const FoundPairs found =
      by_rounds(bags.view(), sketch::min_sum_of_minima(0.2), uint64_t{64} << 20, 2);
  const double promised = sketch::filtered_collision_probability(
      0.25, paper_table_params(table_seed), 8, paper_min_equal);
  EXPECT_NEAR(static_cast<double>(found.verified.size()) / pairs, promised, 0.06);
}

}  // namespace
}  // namespace kith::jobs
