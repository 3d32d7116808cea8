#include "similar/exact/exact_blocks.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "similar/exact/exact_join.h"
#include "support/memory_file_system.h"
#include "unit/similar/collections.h"

namespace kith::similar {
namespace {

// Every pair of representatives, compared.
std::vector<Pair> plain_pairs(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                              uint32_t min_sum) {
  const std::vector<uint32_t> ids = distinct_bags(bags, groups);
  std::vector<Pair> pairs;
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t j = i + 1; j < ids.size(); ++j) {
      const uint32_t sum = sketch::sum_of_minima(bags[ids[i]], bags[ids[j]]);
      if (sum >= min_sum) pairs.push_back({ids[i], ids[j], sum});
    }
  }
  return pairs;
}

Result<std::vector<Pair>> join(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                               const ExactBlockOptions& options, unsigned threads) {
  ThreadPool pool(threads);
  std::vector<Pair> pairs;
  KITH_TRY(exact_join_in_blocks(bags, groups, options, pool, [&](std::span<const Pair> found) {
    pairs.insert(pairs.end(), found.begin(), found.end());
    return Status::ok();
  }));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

TEST(ExactBlocks, FindWhatComparingAllFindsForAnyMemoryAndThreads) {
  int cut = 0;
  for (const NamedBags& named : all_collections(500)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(1);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    const uint64_t whole = exact_join_bytes(bags, 0);
    for (const double similarity : {0.05, 0.5, 1.0}) {
      const uint32_t min_sum = sketch::min_sum_of_minima(similarity);
      const std::vector<Pair> expected = plain_pairs(bags, groups, min_sum);
      // A block has half of the memory: one block, some, and many. Where what a term takes
      // outweighs the bags, no cutting helps.
      for (const uint64_t memory : {3 * whole, whole, whole / 2}) {
        for (const unsigned threads : {1u, 3u}) {
          const auto found = join(bags, groups, {.min_sum = min_sum, .memory = memory}, threads);
          if (!found.is_ok()) {
            ASSERT_LT(memory, 3 * whole) << named.name << ": " << found.error().message;
            continue;
          }
          EXPECT_EQ(*found, expected) << named.name << ", " << memory << " bytes";
          cut += memory == whole / 2;
        }
      }
    }
  }
  EXPECT_GE(cut, 10);
}

TEST(ExactBlocks, NearestAreThoseOfTheWholeJoinForAnyMemoryAndThreads) {
  int cut = 0;
  for (const NamedBags& named : all_collections(500)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool one(1);
    const DuplicateGroups groups = find_duplicates(bags, one);
    const uint64_t whole = exact_join_bytes(bags, 0);
    for (const uint32_t top : {0u, 1u, 10u}) {
      const uint32_t min_sum = sketch::min_sum_of_minima(0.1);
      const auto expected = exact_join(bags, groups, {.min_sum = min_sum, .top = top}, one).value();
      for (const uint64_t memory : {3 * whole, whole / 2, whole / 4}) {
        for (const unsigned threads : {1u, 3u}) {
          ThreadPool pool(threads);
          kith::test::MemoryFileSystem fs;
          const auto found = exact_nearest_in_blocks(
              bags, groups, top, {.min_sum = min_sum, .memory = memory}, fs, "lists", pool);
          if (!found.is_ok()) {
            ASSERT_LT(memory, 3 * whole) << named.name << ": " << found.error().message;
            continue;
          }
          cut += memory < whole;
          SCOPED_TRACE(named.name + ", " + std::to_string(memory) + " bytes");
          for (uint32_t id = 0; id < bags.size(); ++id) {
            ASSERT_EQ(found->degree[id], expected.degree[id]) << id;
            ASSERT_TRUE(std::ranges::equal(found->nearest[id], expected.nearest[id])) << id;
          }
        }
      }
    }
  }
  EXPECT_GE(cut, 30);
}

TEST(ExactBlocks, TooLittleMemoryIsAnErrorAndTheLeastIsEnough) {
  const NamedBags named = random_collections(2000)[0];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(1);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  const uint64_t least = min_exact_block_memory(bags, groups);
  for (const uint64_t memory : {least, least - 1}) {
    const auto found = join(bags, groups, {.min_sum = sketch::bag_total / 2, .memory = memory}, 1);
    ASSERT_EQ(found.is_ok(), memory == least);
    if (found.is_ok()) continue;
    EXPECT_EQ(found.error().kind, ErrorKind::usage);
    EXPECT_THAT(found.error().message,
                testing::EndsWith(fmt::format("; {} are the minimum", least)));
  }
}

TEST(ExactBlocks, AnErrorOfTheSinkEndsThem) {
  const NamedBags named = random_collections(300)[3];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  int calls = 0;
  const Status status =
      exact_join_in_blocks(bags, groups, {.min_sum = 1, .memory = uint64_t{1} << 30}, pool,
                           [&](std::span<const Pair>) -> Status {
                             ++calls;
                             return Error{ErrorKind::io, "no room"};
                           });
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().message, "no room");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kith::similar
