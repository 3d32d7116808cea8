// The LSH join on families that are larger than a bucket whose pairs are all compared.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "evaluate/brute_force.h"
#include "similar/tables/lsh_join.h"
#include "support/random_bags.h"
#include "support/temp_dir.h"
#include "unit/similar/tables/few_lanes.h"

namespace kith::similar {
namespace {

constexpr size_t family_size = 900;

// A family of the same 100 words, of which two differ, then strangers.
test::OwnedBags make_bags(size_t others, size_t members = family_size) {
  Rng rng(11);
  test::OwnedBags bags;
  for (size_t i = 0; i < members + others; ++i) {
    std::vector<std::pair<uint32_t, double>> words;
    for (uint32_t word = 0; word < 100; ++word) {
      const bool own = i >= members || rng.below(50) == 0;
      words.emplace_back(own ? 1000 + static_cast<uint32_t>(rng.below(1u << 30)) : word, 1.0);
    }
    bags.add(words);
  }
  return bags;
}

struct JoinedFamilies {
  std::vector<uint32_t> degree;
  std::vector<std::vector<Neighbour>> nearest;
  PairCounts counts;
};

JoinedFamilies join_families(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                             LshJoinOptions options, unsigned threads,
                             const PairRunSink& sink = nullptr) {
  std::vector<uint16_t> values(bags.size() * few_lanes);
  const sketch::Sketcher sketcher({.lanes = few_lanes});
  for (size_t id = 0; id < bags.size(); ++id) {
    sketcher.sketch(bags[id], std::span(values).subspan(id * few_lanes, few_lanes));
  }
  const test::TempDir folder{test::Medium::memory};
  options.fs = &storage::posix_file_system();
  options.scratch = folder.path();
  ThreadPool pool(threads);
  const sketch::Tables tables({.lanes = few_lanes, .per_key = 1, .tables = 20});
  auto result =
      lsh_join(bags, groups, sketch::Signatures(values, few_lanes), tables, options, pool, sink);
  EXPECT_TRUE(result.is_ok());
  JoinedFamilies joined{std::move(result->degree), {}, result->counts};
  std::vector<Neighbour> buffer;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    const auto list = result->nearest.read(id, buffer);
    joined.nearest.emplace_back(list.begin(), list.end());
  }
  return joined;
}

TEST(LshJoinFamilies, AreCountedAndGiveNeighboursToEach) {
  const test::OwnedBags owned = make_bags(300);
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  const LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.5), .top = 5};
  const JoinedFamilies joined = join_families(bags, groups, options, 2);
  EXPECT_EQ(joined.counts.split_buckets, 0u);  // none lost a pair
  // Linear in the family: each is compared with a few hundred at most.
  EXPECT_LT(joined.counts.collisions, family_size * 300);
  for (uint32_t id = 0; id < bags.size(); ++id) {
    if (groups.representative[id] != id) continue;
    if (id >= family_size) {
      EXPECT_EQ(joined.degree[id], 0u);
      continue;
    }
    EXPECT_GE(joined.degree[id], family_size * 95 / 100) << id;
    EXPECT_LT(joined.degree[id], family_size) << id;
    ASSERT_EQ(joined.nearest[id].size(), options.top) << id;
    for (const Neighbour& neighbour : joined.nearest[id]) {
      EXPECT_EQ(neighbour.sum_of_minima, sketch::sum_of_minima(bags[id], bags[neighbour.id]));
      EXPECT_GE(neighbour.sum_of_minima, options.min_sum);
    }
  }
}

TEST(LshJoinFamilies, AreTheSameForAnyThreadsAndMemory) {
  const test::OwnedBags owned = make_bags(300);
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.5), .top = 5};
  const JoinedFamilies expected = join_families(bags, groups, options, 1);
  for (const uint64_t memory : {uint64_t{0}, uint64_t{1} << 19}) {
    options.memory = memory;
    const JoinedFamilies found = join_families(bags, groups, options, 3);
    EXPECT_EQ(found.counts.blocks > 1, memory != 0);
    EXPECT_EQ(found.degree, expected.degree);
    EXPECT_EQ(found.nearest, expected.nearest);
  }
}

TEST(LshJoinFamilies, HaveAllTheirPairsListedForAnyThreadsAndMemory) {
  constexpr size_t members = 600;
  const test::OwnedBags owned = make_bags(600, members);
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  std::vector<Pair> expected;
  for (uint32_t a = 0; a < bags.size(); ++a) {
    if (groups.representative[a] != a) continue;
    for (uint32_t b = a + 1; b < bags.size(); ++b) {
      const uint32_t sum = sketch::sum_of_minima(bags[a], bags[b]);
      const bool is_similar = sum >= sketch::min_sum_of_minima(0.5);
      if (is_similar && groups.representative[b] == b) expected.push_back({a, b, sum});
    }
  }
  ASSERT_GT(expected.size(), members * (members - 1) / 3);
  LshJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.5), .top = 0};
  for (const uint64_t memory : {uint64_t{0}, uint64_t{1} << 20}) {
    options.memory = memory;
    std::vector<Pair> found;
    const auto add = [&](std::span<const Pair> sorted) {
      found.insert(found.end(), sorted.begin(), sorted.end());
      return Status::ok();
    };
    const JoinedFamilies joined = join_families(bags, groups, options, memory == 0 ? 3 : 1, add);
    EXPECT_EQ(joined.counts.blocks > 1, memory != 0);
    std::ranges::sort(found, {}, [](const Pair& pair) { return std::pair(pair.a, pair.b); });
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace kith::similar
