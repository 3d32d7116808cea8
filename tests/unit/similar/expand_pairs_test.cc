#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/random.h"
#include "similar/duplicates.h"
#include "support/temp_dir.h"
#include "unit/similar/collections.h"

namespace kith::similar {
namespace {

// A third of all pairs of representatives, shuffled, with sums that follow from their ids.
std::vector<Pair> some_pairs(const sketch::BagCollection& bags, const DuplicateGroups& groups) {
  const std::vector<uint32_t> ids = distinct_bags(bags, groups);
  Rng rng(7);
  std::vector<Pair> pairs;
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t j = i + 1; j < ids.size(); ++j) {
      if (rng.below(3) == 0) pairs.push_back({ids[i], ids[j], 1 + (ids[i] ^ ids[j])});
    }
  }
  for (size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[rng.below(i)]);
  return pairs;
}

// The twin: every pair of ids is looked up by its representatives.
std::vector<Pair> plain_expansion(std::vector<Pair> pairs, const sketch::BagCollection& bags,
                                  const DuplicateGroups& groups) {
  std::sort(pairs.begin(), pairs.end());
  std::vector<Pair> expanded;
  for (uint32_t a = 0; a < groups.size(); ++a) {
    for (uint32_t b = a + 1; b < groups.size(); ++b) {
      const auto [low, high] = std::minmax(groups.representative[a], groups.representative[b]);
      if (low == high) {
        EXPECT_FALSE(bags[a].empty());
        expanded.push_back({a, b, sketch::bag_total});
        continue;
      }
      const auto found = std::ranges::lower_bound(pairs, Pair{low, high, 0});
      if (found == pairs.end() || found->a != low || found->b != high) continue;
      expanded.push_back({a, b, found->sum_of_minima});
    }
  }
  return expanded;
}

std::vector<Pair> expansion(std::span<const Pair> pairs, const DuplicateGroups& groups,
                            const test::TempDir& dir, uint64_t memory, unsigned threads) {
  ThreadPool pool(threads);
  std::vector<Pair> expanded;
  PairExpander expander(groups, storage::posix_file_system(), pool,
                        {.scratch = dir / "pairs", .memory = memory, .block = 1 << 10});
  const size_t half = pairs.size() / 2;
  EXPECT_TRUE(expander.append(pairs.first(half)).is_ok());
  EXPECT_TRUE(expander.append(pairs.subspan(half)).is_ok());
  EXPECT_TRUE(expander
                  .finish([&](uint32_t a, std::span<const Neighbour> bs) {
                    EXPECT_FALSE(bs.empty());
                    for (const Neighbour b : bs) expanded.push_back({a, b.id, b.sum_of_minima});
                    return Status::ok();
                  })
                  .is_ok());
  return expanded;
}

TEST(ExpandPairs, EqualsTheTwinForAnyMemoryAndThreads) {
  const test::TempDir dir;
  for (const NamedBags& named : all_collections(300)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(1);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    const std::vector<Pair> pairs = some_pairs(bags, groups);
    const std::vector<Pair> expected = plain_expansion(pairs, bags, groups);
    for (const unsigned threads : {1u, 3u}) {
      for (const uint64_t memory : {uint64_t{0}, uint64_t{20'000}, uint64_t{1} << 24}) {
        EXPECT_EQ(expansion(pairs, groups, dir, memory, threads), expected)
            << named.name << ", " << memory << " bytes";
        EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
      }
    }
  }
}

TEST(ExpandPairs, AnErrorOfTheSinkEndsItAndLeavesNoFile) {
  const test::TempDir dir;
  const NamedBags named = random_collections(300)[2];
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(named.bags.view(), pool);
  int calls = 0;
  {
    PairExpander expander(groups, storage::posix_file_system(), pool,
                          {.scratch = dir / "pairs", .memory = 0, .block = 1 << 10});
    ASSERT_TRUE(expander.append(some_pairs(named.bags.view(), groups)).is_ok());
    EXPECT_FALSE(std::filesystem::is_empty(dir.path()));
    const Status status = expander.finish([&](uint32_t, std::span<const Neighbour>) -> Status {
      ++calls;
      return Error{ErrorKind::io, "no room"};
    });
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().message, "no room");
  }
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(ExpandPairs, WithoutRoomForItsFilesItIsAnError) {
  const NamedBags named = random_collections(300)[0];
  ThreadPool pool(1);
  const DuplicateGroups groups = find_duplicates(named.bags.view(), pool);
  PairExpander expander(groups, storage::posix_file_system(), pool,
                        {.scratch = "/no/such/folder", .memory = 0, .block = 1 << 10});
  const Status status = expander.append(some_pairs(named.bags.view(), groups));
  ASSERT_FALSE(status.is_ok());
  EXPECT_NE(status.error().message.find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace kith::similar
