#include "similar/exact/exact_pairs.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/brute_force.h"
#include "similar/exact/exact_blocks.h"
#include "support/temp_dir.h"
#include "unit/similar/collections.h"

namespace kith::similar {
namespace {

// The pairs of all ids in the order that they are given in, within so many bytes (0: any).
Result<std::vector<Pair>> pairs_of(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                                   uint32_t min_sum, uint64_t memory, unsigned threads) {
  const test::TempDir dir;
  ThreadPool pool(threads);
  std::vector<Pair> pairs;
  KITH_TRY(exact_pairs(bags, groups,
                       {.min_sum = min_sum,
                        .memory = memory,
                        .fs = &storage::posix_file_system(),
                        .scratch = dir.path()},
                       pool, [&](uint32_t a, std::span<const Neighbour> bs) {
                         EXPECT_FALSE(bs.empty());
                         for (const Neighbour b : bs) pairs.push_back({a, b.id, b.sum_of_minima});
                         return Status::ok();
                       }));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  return pairs;
}

std::vector<Pair> true_pairs(const sketch::BagCollection& bags, uint32_t min_sum) {
  ThreadPool pool(1);
  const evaluate::BruteForceResult truth =
      evaluate::brute_force(bags, all_ids(bags), {.min_sum = min_sum, .top = 0}, pool);
  std::vector<Pair> pairs;
  for (const evaluate::QueryTruth& query : truth.queries) {
    for (const Neighbour n : query.similar) {
      if (query.id < n.id) pairs.push_back({query.id, n.id, n.sum_of_minima});
    }
  }
  return pairs;
}

// The twin compares all. At once with any memory, and with the least for that; sorted, of one block
// and of several. Where what a term takes outweighs the bags, no cutting helps.
TEST(ExactPairs, EqualBruteForceForAnyMemoryAndThreads) {
  int cut = 0;
  for (const NamedBags& named : all_collections(500)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(1);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    const uint64_t whole = whole_block_bytes(bags, 0);
    for (const double similarity : {0.05, 0.5, 1.0}) {
      const uint32_t min_sum = sketch::min_sum_of_minima(similarity);
      const std::vector<Pair> expected = true_pairs(bags, min_sum);
      for (const unsigned threads : {1u, 3u}) {
        const uint64_t at_once =
            whole_block_bytes(bags, threads) + 16 * threads * bags.size() * 2 * sizeof(Neighbour);
        for (const uint64_t memory : {uint64_t{0}, at_once, at_once - 1, 3 * whole, whole}) {
          SCOPED_TRACE(fmt::format("{}, {}, {} bytes", named.name, similarity, memory));
          const auto found = pairs_of(bags, groups, min_sum, memory, threads);
          if (!found.is_ok()) {
            ASSERT_TRUE(memory > 0 && memory < at_once) << found.error().message;
            continue;
          }
          ASSERT_EQ(*found, expected);
          cut += memory == whole;
        }
      }
    }
  }
  EXPECT_GE(cut, 20);
}

TEST(ExactPairs, NothingIsSimilarWithoutAThreshold) {
  const NamedBags named = random_collections(300)[2];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(1);
  EXPECT_TRUE(pairs_of(bags, find_duplicates(bags, pool), 0, 0, 2)->empty());
}

TEST(ExactPairs, TooLittleMemoryIsAnErrorAndTheLeastIsEnough) {
  const NamedBags named = random_collections(2000)[0];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(1);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  const uint64_t least = least_with(Share::pair_join, min_block_memory(bags, groups));
  ASSERT_TRUE(pairs_of(bags, groups, sketch::bag_total / 2, least, 1).is_ok());
  const auto found = pairs_of(bags, groups, sketch::bag_total / 2, least - 4, 1);
  ASSERT_FALSE(found.is_ok());
  EXPECT_EQ(found.error().kind, ErrorKind::usage);
  EXPECT_THAT(found.error().message, testing::HasSubstr("of memory are too few for 2000 URLs"));
}

// At once and sorted.
TEST(ExactPairs, AnErrorOfTheSinkEndsThem) {
  const NamedBags named = random_collections(300)[3];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  for (const uint64_t memory : {uint64_t{0}, 3 * whole_block_bytes(bags, 0)}) {
    const test::TempDir dir;
    int calls = 0;
    const PairSink full_disk = [&](uint32_t, std::span<const Neighbour>) -> Status {
      ++calls;
      return Error{ErrorKind::io, "no room"};
    };
    const Status status = exact_pairs(bags, groups,
                                      {.min_sum = 1,
                                       .memory = memory,
                                       .fs = &storage::posix_file_system(),
                                       .scratch = dir.path()},
                                      pool, full_disk);
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().message, "no room");
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace kith::similar
