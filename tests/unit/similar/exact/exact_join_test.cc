#include "similar/exact/exact_join.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/brute_force.h"
#include "similar/exact/exact_blocks.h"
#include "support/memory_file_system.h"
#include "unit/similar/collections.h"

namespace kith::similar {
namespace {

// The twin compares all. A block has half of the memory: one block whatever it takes, one within a
// limit, some, and many. Where what a term takes outweighs the bags, no cutting helps.
TEST(ExactJoin, EqualsBruteForceForAnyMemoryAndThreads) {
  int cut = 0;
  for (const NamedBags& named : all_collections(500)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool one(1);
    const DuplicateGroups groups = find_duplicates(bags, one);
    const uint64_t whole = whole_block_bytes(bags, 0);
    for (const auto& [similarity, top] :
         {std::pair(0.0, 20u), {0.05, 1u}, {0.3, 6u}, {0.3, 0u}, {1.0, 6u}}) {
      const uint32_t min_sum = similarity == 0 ? 0 : sketch::min_sum_of_minima(similarity);
      const evaluate::BruteForceResult truth =
          evaluate::brute_force(bags, all_ids(bags), {.min_sum = min_sum, .top = top}, one);
      for (const uint64_t memory : {uint64_t{0}, 3 * whole, whole / 2, whole / 4}) {
        for (const unsigned threads : {1u, 3u}) {
          SCOPED_TRACE(fmt::format("{}, {}, top {}, {} bytes, {} threads", named.name, similarity,
                                   top, memory, threads));
          ThreadPool pool(threads);
          kith::test::MemoryFileSystem fs;
          const auto joined = exact_join(
              bags, groups,
              {.min_sum = min_sum, .top = top, .memory = memory, .fs = &fs, .scratch = "lists"},
              pool);
          if (!joined.is_ok()) {
            ASSERT_EQ(joined.error().kind, ErrorKind::usage);
            ASSERT_TRUE(memory > 0 && memory < whole) << joined.error().message;
            continue;
          }
          cut += memory > 0 && memory < whole;
          std::vector<Neighbour> nearest;
          for (const evaluate::QueryTruth& query : truth.queries) {
            ASSERT_EQ(joined->degree[query.id], query.degree) << query.id;
            expand_nearest(joined->nearest[groups.representative[query.id]], top, groups, query.id,
                           nearest);
            ASSERT_EQ(nearest, query.nearest) << query.id;
          }
        }
      }
    }
  }
  EXPECT_GE(cut, 50);
}

// Whole and in blocks: what is left of each list is its beginning.
TEST(ExactJoin, SimilarOnlyLeavesOutWhatIsLess) {
  size_t left_out = 0;
  size_t compared = 0;  // in blocks
  for (const NamedBags& named : all_collections(500)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(2);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    kith::test::MemoryFileSystem fs;
    ExactJoinOptions options{
        .min_sum = sketch::min_sum_of_minima(0.3), .top = 6, .fs = &fs, .scratch = "lists"};
    const auto all = exact_join(bags, groups, options, pool);
    options.similar_only = true;
    for (const uint64_t memory : {uint64_t{0}, whole_block_bytes(bags, 0) / 2}) {
      options.memory = memory;
      const auto similar = exact_join(bags, groups, options, pool);
      ASSERT_TRUE(similar.is_ok() || memory > 0);
      if (!similar.is_ok()) continue;  // too few to be cut
      EXPECT_EQ(similar->degree, all->degree);
      for (uint32_t id = 0; id < bags.size(); ++id) {
        const auto list = all->nearest[id];
        const auto less = std::ranges::find_if(
            list, [&](Neighbour near) { return near.sum_of_minima < options.min_sum; });
        const std::vector<Neighbour> expected(list.begin(), less);
        left_out += list.size() - expected.size();
        compared += memory > 0;
        ASSERT_TRUE(std::ranges::equal(similar->nearest[id], expected)) << named.name << " " << id;
      }
    }
  }
  EXPECT_GT(left_out, 2000u);
  EXPECT_GT(compared, 1000u);
}

// Whole and in blocks; the lists are of all classes.
TEST(ExactJoin, DegreesAreWithinClasses) {
  size_t compared = 0;  // in blocks
  for (const NamedBags& named : all_collections(400)) {
    const sketch::BagCollection bags = named.bags.view();
    std::vector<uint32_t> own;
    for (uint32_t id = 0; id < bags.size(); ++id) own.push_back(id * 5 % 3);
    const Classes classes(own);
    ThreadPool pool(2);
    const DuplicateGroups groups = find_duplicates(bags, pool, classes);
    const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
    const std::vector<uint32_t> ids = all_ids(bags);
    const auto truth =
        evaluate::brute_force(bags, ids, {.min_sum = min_sum, .classes = classes}, pool);
    const auto of_all = evaluate::brute_force(bags, ids, {.top = 6}, pool);
    for (const uint64_t memory : {uint64_t{0}, whole_block_bytes(bags, 0) / 2}) {
      kith::test::MemoryFileSystem fs;
      const auto joined = exact_join(bags, groups,
                                     {.min_sum = min_sum,
                                      .top = 6,
                                      .classes = classes,
                                      .memory = memory,
                                      .fs = &fs,
                                      .scratch = "lists"},
                                     pool);
      ASSERT_TRUE(joined.is_ok() || memory > 0);
      if (!joined.is_ok()) continue;  // too few to be cut
      compared += memory > 0 ? bags.size() : 0;
      std::vector<Neighbour> nearest;
      for (size_t i = 0; i < ids.size(); ++i) {
        const uint32_t id = ids[i];
        ASSERT_EQ(joined->degree[id], truth.queries[i].degree) << named.name << " " << id;
        expand_nearest(joined->nearest[groups.representative[id]], 6, groups, id, nearest);
        ASSERT_EQ(nearest, of_all.queries[i].nearest) << named.name << " " << id;
      }
    }
  }
  EXPECT_GT(compared, 1000u);
}

TEST(ExactJoin, WritesNoFileWhereAllFitsTheMemory) {
  const NamedBags named = random_collections(2000)[0];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  // What it takes, so that the lists alone are more than a quarter of it.
  constexpr uint32_t top = 2000;
  const uint64_t lists = bags.size() * TopLists::bytes_of_one(top);
  const uint64_t whole = whole_block_bytes(bags, pool.size()) + lists;
  ASSERT_GT(lists, whole / 4);
  ExactJoinOptions options{.min_sum = sketch::bag_total / 2, .top = top, .memory = whole};
  const auto fitting = exact_join(bags, groups, options, pool);  // without a file system
  ASSERT_TRUE(fitting.is_ok());
  EXPECT_EQ(fitting->nearest.blocks(), 1u);
  kith::test::MemoryFileSystem fs;
  options.memory = whole - 1;
  options.fs = &fs;
  options.scratch = "lists";
  const auto less = exact_join(bags, groups, options, pool);
  ASSERT_TRUE(less.is_ok());
  EXPECT_GT(less->nearest.blocks(), 1u);
  EXPECT_EQ(less->degree, fitting->degree);
  for (uint32_t id = 0; id < bags.size(); ++id) {
    ASSERT_TRUE(std::ranges::equal(less->nearest[id], fitting->nearest[id])) << id;
  }
}

TEST(ExactJoin, TooLittleMemoryIsAnErrorAndTheLeastIsEnough) {
  const NamedBags named = random_collections(2000)[0];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(1);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  const uint64_t least = min_block_memory(bags, groups);
  for (const uint64_t memory : {least, least - 1}) {
    kith::test::MemoryFileSystem fs;
    const auto joined = exact_join(bags, groups,
                                   {.min_sum = sketch::bag_total / 2,
                                    .top = 1,
                                    .memory = memory,
                                    .fs = &fs,
                                    .scratch = "lists"},
                                   pool);
    ASSERT_EQ(joined.is_ok(), memory == least);
    if (joined.is_ok()) continue;
    EXPECT_EQ(joined.error().kind, ErrorKind::usage);
    EXPECT_THAT(joined.error().message,
                testing::EndsWith(fmt::format(
                    "MiB of memory are too few for 2000 URLs; memory = {}M is the minimum",
                    (least + (1 << 20) - 1) >> 20)));
  }
}

// In one block and in many.
TEST(ExactJoin, ReportsProgressUpToOne) {
  const NamedBags named = random_collections(2000)[0];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  for (const uint64_t memory : {uint64_t{0}, whole_block_bytes(bags, 0) / 4}) {
    double last = 0;
    int calls = 0;
    const JoinProgress progress = [&](double share) {
      EXPECT_GT(share, last);
      last = share;
      ++calls;
    };
    kith::test::MemoryFileSystem fs;
    const ExactJoinOptions options{
        .min_sum = 1, .top = 1, .memory = memory, .fs = &fs, .scratch = "lists"};
    ASSERT_TRUE(exact_join(bags, groups, options, pool, progress).is_ok());
    EXPECT_EQ(last, 1.0);
    EXPECT_GT(calls, 4);
  }
}

// A family of near-identical pages is the case where a list of all pairs would be quadratic.
TEST(ExactJoin, CountsTheDegreesOfALargeFamily) {
  const test::OwnedBags owned = test::random_bags({.bags = 3000,
                                                   .words = 30,
                                                   .topics = 1,
                                                   .family_share = 0.999,
                                                   .family_edit = 0.02,
                                                   .duplicate_share = 0,
                                                   .empty_share = 0,
                                                   .seed = 9});
  const sketch::BagCollection bags = owned.view();
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  const ExactJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.7), .top = 20};
  const auto joined = exact_join(bags, groups, options, pool);
  ASSERT_TRUE(joined.is_ok());
  const std::vector<uint32_t> queries = evaluate::sample_queries(bags, 40, 2);
  const evaluate::BruteForceResult truth =
      evaluate::brute_force(bags, queries, {.min_sum = options.min_sum, .top = 20}, pool);
  std::vector<Neighbour> nearest;
  for (const evaluate::QueryTruth& query : truth.queries) {
    EXPECT_EQ(joined->degree[query.id], query.similar.size());
    expand_nearest(joined->nearest[groups.representative[query.id]], options.top, groups, query.id,
                   nearest);
    EXPECT_EQ(nearest, query.nearest);
  }
}

}  // namespace
}  // namespace kith::similar
