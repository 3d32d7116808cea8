#include "similar/exact/exact_join.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "evaluate/brute_force.h"
#include "similar/exact/exact_blocks.h"
#include "support/memory_file_system.h"
#include "unit/similar/collections.h"

namespace kith::similar {
namespace {

struct Collected {
  std::vector<Pair> pairs;
  PairSink sink() {
    return [this](uint32_t a, std::span<const Neighbour> bs) {
      for (const Neighbour b : bs) pairs.push_back({a, b.id, b.sum_of_minima});
      return Status::ok();
    };
  }
};

std::vector<Pair> true_pairs(const evaluate::BruteForceResult& truth) {
  std::vector<Pair> pairs;
  for (const evaluate::QueryTruth& query : truth.queries) {
    for (const Neighbour n : query.similar) {
      if (query.id < n.id) pairs.push_back({query.id, n.id, n.sum_of_minima});
    }
  }
  return pairs;
}

void expect_join_is_true(const NamedBags& named, const evaluate::BruteForceResult& truth,
                         const ExactJoinOptions& options, unsigned threads, bool with_sink) {
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(threads);
  const DuplicateGroups groups = find_duplicates(bags, pool);
  Collected collected;
  Result<ExactJoinResult> joined =
      exact_join(bags, groups, options, pool, with_sink ? collected.sink() : nullptr);
  ASSERT_TRUE(joined.is_ok());
  std::vector<Neighbour> nearest;
  uint64_t pairs = 0;
  for (const evaluate::QueryTruth& query : truth.queries) {
    ASSERT_EQ(joined->degree[query.id], query.similar.size()) << named.name << " " << query.id;
    expand_nearest(joined->nearest[groups.representative[query.id]], options.top, groups, query.id,
                   nearest);
    ASSERT_EQ(nearest, query.nearest) << named.name << " " << query.id;
    pairs += query.similar.size();
  }
  EXPECT_EQ(joined->pairs, pairs / 2);
  if (with_sink) {
    EXPECT_EQ(collected.pairs, true_pairs(truth)) << named.name;
  }
}

TEST(ExactJoin, EqualsBruteForce) {
  for (const NamedBags& named : all_collections(700)) {
    const sketch::BagCollection bags = named.bags.view();
    const std::vector<uint32_t> ids = all_ids(bags);
    for (const double similarity : {0.05, 0.3, 0.9, 1.0}) {
      const ExactJoinOptions options{.min_sum = sketch::min_sum_of_minima(similarity), .top = 6};
      ThreadPool pool(1);
      const evaluate::BruteForceResult truth =
          evaluate::brute_force(bags, ids, {.min_sum = options.min_sum, .top = options.top}, pool);
      for (const unsigned threads : {1u, 2u, 5u}) {
        expect_join_is_true(named, truth, options, threads, threads != 1);
      }
    }
  }
}

// Whole and in blocks: what is left of each list is its beginning.
TEST(ExactJoin, SimilarOnlyLeavesOutWhatIsLess) {
  size_t left_out = 0;
  size_t compared = 0;  // in blocks
  for (const NamedBags& named : all_collections(500)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(2);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    ExactJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.3), .top = 6};
    const auto all = exact_join(bags, groups, options, pool);
    options.similar_only = true;
    const auto similar = exact_join(bags, groups, options, pool);
    kith::test::MemoryFileSystem fs;
    const auto cut = exact_nearest_in_blocks(
        bags, groups, options.top,
        {.min_sum = options.min_sum, .memory = exact_join_bytes(bags, 0) / 2, .similar_only = true},
        fs, "lists", pool);
    EXPECT_EQ(similar->degree, all->degree);
    for (uint32_t id = 0; id < bags.size(); ++id) {
      const auto list = all->nearest[id];
      const auto less = std::ranges::find_if(
          list, [&](Neighbour near) { return near.sum_of_minima < options.min_sum; });
      const std::vector<Neighbour> expected(list.begin(), less);
      left_out += list.size() - expected.size();
      ASSERT_TRUE(std::ranges::equal(similar->nearest[id], expected)) << named.name << " " << id;
      if (!cut) continue;  // too few to be cut
      ++compared;
      ASSERT_TRUE(std::ranges::equal(cut->nearest[id], expected)) << named.name << " " << id;
    }
  }
  EXPECT_GT(left_out, 1000u);
  EXPECT_GT(compared, 1000u);
}

// Whole and in blocks; the lists are of all classes.
TEST(ExactJoin, DegreesAreWithinClasses) {
  for (const NamedBags& named : all_collections(400)) {
    const sketch::BagCollection bags = named.bags.view();
    std::vector<uint32_t> own;
    for (uint32_t id = 0; id < bags.size(); ++id) own.push_back(id * 5 % 3);
    const Classes classes(own);
    ThreadPool pool(2);
    const DuplicateGroups groups = find_duplicates(bags, pool, classes);
    const uint32_t min_sum = sketch::min_sum_of_minima(0.2);
    const auto whole =
        exact_join(bags, groups, {.min_sum = min_sum, .top = 6, .classes = classes}, pool).value();
    kith::test::MemoryFileSystem fs;
    const auto blocks = exact_nearest_in_blocks(
        bags, groups, 6,
        {.min_sum = min_sum, .memory = 3 * exact_join_bytes(bags, 2), .classes = classes}, fs,
        "lists", pool);
    ASSERT_TRUE(blocks.is_ok()) << named.name;
    const std::vector<uint32_t> ids = all_ids(bags);
    const auto truth =
        evaluate::brute_force(bags, ids, {.min_sum = min_sum, .classes = classes}, pool);
    const auto of_all = evaluate::brute_force(bags, ids, {.top = 6}, pool);
    std::vector<Neighbour> nearest;
    for (size_t i = 0; i < ids.size(); ++i) {
      const uint32_t id = ids[i];
      ASSERT_EQ(whole.degree[id], truth.queries[i].degree) << named.name << " " << id;
      ASSERT_EQ(blocks->degree[id], truth.queries[i].degree) << named.name << " " << id;
      expand_nearest(whole.nearest[groups.representative[id]], 6, groups, id, nearest);
      ASSERT_EQ(nearest, of_all.queries[i].nearest) << named.name << " " << id;
    }
  }
}

TEST(ExactJoin, PairsAreTheSameForAnyMemory) {
  for (const NamedBags& named : all_collections(700)) {
    const sketch::BagCollection bags = named.bags.view();
    ThreadPool pool(2);
    const DuplicateGroups groups = find_duplicates(bags, pool);
    ExactJoinOptions options{.min_sum = sketch::min_sum_of_minima(0.1), .top = 0};
    Collected whatever;
    ASSERT_TRUE(exact_join(bags, groups, options, pool, whatever.sink()).is_ok());
    // For one id a thread, and for a few.
    for (const uint64_t memory : {uint64_t{1}, 2 * 5 * 16 * bags.size() + 1}) {
      options.memory = memory;
      Collected little;
      ASSERT_TRUE(exact_join(bags, groups, options, pool, little.sink()).is_ok());
      EXPECT_EQ(little.pairs, whatever.pairs) << named.name;
    }
  }
}

TEST(ExactJoin, WithoutAThresholdGivesTheNearestOnly) {
  const NamedBags named = random_collections(300)[0];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(2);
  const evaluate::BruteForceResult truth =
      evaluate::brute_force(bags, all_ids(bags), {.min_sum = 0, .top = 20}, pool);
  expect_join_is_true(named, truth, {.min_sum = 0, .top = 20}, 2, true);
}

TEST(ExactJoin, WithoutNearestCountsOnly) {
  const NamedBags named = random_collections(300)[2];
  const sketch::BagCollection bags = named.bags.view();
  ThreadPool pool(2);
  const uint32_t min_sum = sketch::min_sum_of_minima(0.3);
  const evaluate::BruteForceResult truth =
      evaluate::brute_force(bags, all_ids(bags), {.min_sum = min_sum, .top = 0}, pool);
  expect_join_is_true(named, truth, {.min_sum = min_sum, .top = 0}, 2, true);
}

TEST(ExactJoin, AnErrorOfTheSinkEndsIt) {
  const NamedBags named = random_collections(300)[3];
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(named.bags.view(), pool);
  int calls = 0;
  const PairSink full_disk = [&](uint32_t, std::span<const Neighbour>) -> Status {
    ++calls;
    return Error{ErrorKind::io, "no room"};
  };
  const auto joined =
      exact_join(named.bags.view(), groups, {.min_sum = 1, .top = 1}, pool, full_disk);
  ASSERT_FALSE(joined.is_ok());
  EXPECT_EQ(joined.error().message, "no room");
  EXPECT_EQ(calls, 1);
}

TEST(ExactJoin, ReportsProgressUpToOne) {
  const NamedBags named = random_collections(300)[0];
  ThreadPool pool(2);
  const DuplicateGroups groups = find_duplicates(named.bags.view(), pool);
  double last = 0;
  const JoinProgress progress = [&](double share) {
    EXPECT_GE(share, last);
    last = share;
  };
  ASSERT_TRUE(
      exact_join(named.bags.view(), groups, {.min_sum = 1, .top = 1}, pool, nullptr, progress)
          .is_ok());
  EXPECT_EQ(last, 1.0);
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
