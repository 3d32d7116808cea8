// The paper's pairs against their definition, pair by pair.
#include "pairs/paper_join.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "pairs/duplicates.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "unit/pairs/collections.h"

namespace kith::pairs {
namespace {

using Signature = std::array<uint32_t, paper_lanes>;

constexpr uint64_t sketch_seed = 5;
constexpr uint64_t table_seed = 6;

struct Found {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> survivors;  // ids, equal bytes
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> meetings;   // ids, rounds
  std::vector<Pair> verified;
  PaperJoinReport report;
};

std::vector<uint32_t> distinct_ids(const BagCollection& bags) {
  ThreadPool pool(1);
  return distinct_bags(bags, find_duplicates(bags, pool));
}

// The definition: every pair is looked at in every round.
Found by_definition(const BagCollection& bags, uint32_t least_sum) {
  const PaperSketcher sketcher(sketch_seed);
  std::vector<uint32_t> ids;
  std::vector<Signature> rows;
  for (const uint32_t id : distinct_ids(bags)) {
    if (!has_paper_copies(bags[id])) continue;
    ids.push_back(id);
    sketcher.sketch(bags[id], rows.emplace_back());
  }
  const lsh::Tables tables(paper_table_params(table_seed));
  Found found;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = i + 1; j < rows.size(); ++j) {
      const Signature& a = rows[i];
      const Signature& b = rows[j];
      uint32_t met = 0;
      for (uint32_t round = 0; round < paper_tables; ++round) {
        met += std::ranges::all_of(tables.subset(round),
                                   [&](uint16_t lane) { return a[lane] == b[lane]; });
      }
      uint32_t equal = 0;
      for (size_t lane = 0; lane < paper_lanes; ++lane) equal += a[lane] % 256 == b[lane] % 256;
      found.report.candidates += met;
      if (met == 0 || equal < paper_least_equal) continue;
      found.report.survivors += met;
      found.survivors[{ids[i], ids[j]}] = equal;
      found.meetings[{ids[i], ids[j]}] = met;
      const uint32_t sum = sum_of_minima(bags[ids[i]], bags[ids[j]]);
      if (sum >= least_sum) found.verified.push_back({ids[i], ids[j], sum});
    }
  }
  return found;
}

Result<storage::SortedRecords> join(storage::FileSystem& fs, const std::string& scratch,
                                    const PaperSignatureFile& signatures, uint64_t memory,
                                    ThreadPool& pool, PaperJoinReport& report) {
  return paper_join(fs, signatures,
                    {.scratch = scratch, .memory = memory, .block = 64, .seed = table_seed}, pool,
                    report);
}

Found by_rounds(const BagCollection& bags, uint32_t least_sum, uint64_t memory, unsigned threads) {
  const test::TempDir dir;
  storage::FileSystem& fs = storage::posix_file_system();
  ThreadPool pool(threads);
  const auto signatures =
      PaperSignatureFile::create(fs, dir / "sign", bags, distinct_ids(bags), sketch_seed, pool);
  EXPECT_TRUE(signatures.is_ok());
  Found found;
  auto survivors = join(fs, dir / "pairs", *signatures, memory, pool, found.report);
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
  survivors = join(fs, dir / "pairs", *signatures, memory, pool, again);
  const Status status = verify_survivors(
      *survivors, *signatures, bags, least_sum, 1000, pool, [&](std::span<const Pair> pairs) {
        found.verified.insert(found.verified.end(), pairs.begin(), pairs.end());
        return Status::ok();
      });
  EXPECT_TRUE(status.is_ok());
  return found;
}

void expect_equal(const Found& found, const Found& expected) {
  EXPECT_EQ(found.report.candidates, expected.report.candidates);
  EXPECT_EQ(found.report.survivors, expected.report.survivors);
  EXPECT_TRUE(found.survivors == expected.survivors);
  EXPECT_TRUE(found.meetings == expected.meetings);
  EXPECT_TRUE(found.verified == expected.verified);
}

TEST(PaperJoin, FindsThePairsOfItsDefinition) {
  const uint32_t least_sum = least_sum_of_minima(0.2);
  for (const NamedBags& named : all_collections(300)) {
    SCOPED_TRACE(named.name);
    const Found expected = by_definition(named.bags.view(), least_sum);
    const Found found = by_rounds(named.bags.view(), least_sum, uint64_t{64} << 20, 1);
    expect_equal(found, expected);
    EXPECT_EQ(found.report.blocks, 1u);
  }
}

// One-byte signatures of 15,000 bytes, of which a part is in memory: passes over blocks of URLs,
// and sorts in several runs.
TEST(PaperJoin, IsTheSameForAnyMemoryAndThreads) {
  const test::OwnedBags bags = test::random_bags({.bags = 200, .topics = 3, .seed = 4});
  const uint32_t least_sum = least_sum_of_minima(0.2);
  const Found expected = by_definition(bags.view(), least_sum);
  EXPECT_GT(expected.verified.size(), 20u);
  EXPECT_GT(expected.survivors.size(), expected.verified.size());  // the filter lets some through
  constexpr std::pair<uint64_t, unsigned> cases[] = {{6000, 1}, {6000, 3}, {20'000, 2}};
  for (const auto& [memory, threads] : cases) {
    SCOPED_TRACE(std::to_string(memory) + " bytes, " + std::to_string(threads) + " threads");
    const Found found = by_rounds(bags.view(), least_sum, memory, threads);
    expect_equal(found, expected);
    EXPECT_GT(found.report.blocks, 2u);
  }
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
  const Found found = by_rounds(bags.view(), least_sum_of_minima(0.2), uint64_t{64} << 20, 2);
  const double promised = lsh::filtered_collision_probability(0.25, paper_table_params(table_seed),
                                                              8, paper_least_equal);
  EXPECT_NEAR(static_cast<double>(found.verified.size()) / pairs, promised, 0.06);
}

}  // namespace
}  // namespace kith::pairs
