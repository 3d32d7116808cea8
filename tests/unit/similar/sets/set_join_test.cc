#include "similar/sets/set_join.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/similar/sets/joined_sets.h"
#include "unit/similar/sets/set_families.h"

namespace kith::similar {
namespace {

using test::all_lanes;
using test::SetFamilies;

struct JoinedByTables : test::JoinedSets {  // sorted
  SetJoinStats stats;
};

JoinedByTables join(const SetFamilies& input, const sketch::TableParams& tables,
                    const SetJoinOptions& options, unsigned threads) {
  ThreadPool pool(threads);
  JoinedByTables joined;
  const SetJoinSinks sinks = joined.sinks();
  auto stats = set_join(input.mapped(), input.ids(), input.signatures(), sketch::Tables(tables),
                        options, pool, sinks);
  EXPECT_TRUE(stats.is_ok());
  joined.stats = stats.value();
  joined.sort();
  return joined;
}

TEST(SetJoin, FindsThePairsOfBruteForce) {
  const SetFamilies input(400, 1);
  for (const double similarity : {0.5, 0.8, 1.0}) {
    const std::vector<SetPair> expected = input.similar(similarity);
    ASSERT_GT(expected.size(), 20u);
    const JoinedByTables found = join(input, all_lanes, {.similarity = similarity}, 2);
    EXPECT_EQ(found.pairs, expected) << similarity;
    EXPECT_EQ(found.stats.similar, expected.size());
    EXPECT_EQ(found.stats.candidates, found.candidates.size());
    EXPECT_GE(found.candidates.size(), expected.size());
    EXPECT_EQ(std::ranges::adjacent_find(found.candidates), found.candidates.end());
  }
}

TEST(SetJoin, WithoutVerificationEveryCandidateIsAPair) {
  const SetFamilies input(300, 9);
  const JoinedByTables found = join(input, all_lanes, {.similarity = 0.9, .verify = false}, 2);
  ASSERT_EQ(found.pairs.size(), found.candidates.size());
  EXPECT_LT(found.stats.similar, found.pairs.size());
  uint64_t similar = 0;
  for (const SetPair& pair : found.pairs) {
    const sketch::SetOverlap both = sketch::overlap(input.sets()[pair.a], input.sets()[pair.b]);
    EXPECT_EQ(pair.common, both.common);
    similar += both.resemblance() >= 0.9 ? 1 : 0;
  }
  EXPECT_EQ(found.stats.similar, similar);
}

TEST(SetJoin, ReportsOnlyVerifiedPairs) {
  const SetFamilies input(400, 2);
  const std::vector<SetPair> similar = input.similar(0.8);
  const JoinedByTables found =
      join(input, {.lanes = 128, .per_key = 3, .tables = 2}, {.similarity = 0.8}, 1);
  ASSERT_FALSE(found.pairs.empty());
  ASSERT_LT(found.pairs.size(), similar.size());  // two tables do not find them all
  EXPECT_TRUE(std::ranges::includes(similar, found.pairs));
}

TEST(SetJoin, IsTheSameForAnyThreadsAndMemory) {
  const SetFamilies input(500, 3);
  const sketch::TableParams tables{.lanes = 128, .per_key = 2, .tables = 12};
  for (const uint32_t largest_bucket : {largest_bucket, 4u}) {
    const JoinedByTables expected =
        join(input, tables, {.similarity = 0.7, .largest_bucket = largest_bucket}, 1);
    EXPECT_EQ(expected.stats.splits.buckets > 0, largest_bucket == 4);
    for (const unsigned threads : {1u, 2u, 5u}) {
      for (const uint64_t memory : {uint64_t{0}, uint64_t{150'000}, uint64_t{1} << 30}) {
        const JoinedByTables found =
            join(input, tables,
                 {.similarity = 0.7, .largest_bucket = largest_bucket, .memory = memory}, threads);
        EXPECT_EQ(found.stats.blocks > 1, memory == 150'000);
        EXPECT_EQ(found.pairs, expected.pairs);
        EXPECT_EQ(found.candidates, expected.candidates);
      }
    }
  }
}

TEST(SetJoin, TooLittleMemoryIsAnErrorAndTheLeastIsEnough) {
  const SetFamilies input(500, 4);
  ThreadPool pool(1);
  const uint64_t least = min_set_join_memory(input.ids().size(), all_lanes.lanes);
  for (const uint64_t memory : {least, least - 8}) {
    const auto stats = set_join(input.mapped(), input.ids(), input.signatures(),
                                sketch::Tables(all_lanes), {.memory = memory}, pool, {});
    ASSERT_EQ(stats.is_ok(), memory == least);
    if (stats.is_ok()) continue;
    EXPECT_EQ(stats.error().kind, ErrorKind::usage);
    EXPECT_THAT(stats.error().message,
                testing::EndsWith(fmt::format("; {} are the minimum", least)));
  }
}

TEST(SetJoin, OfNothingIsNothing) {
  const SetFamilies input(1, 5);
  EXPECT_TRUE(join(input, all_lanes, {}, 2).pairs.empty());
  ThreadPool pool(1);
  const auto stats =
      set_join(input.mapped(), {}, input.signatures(), sketch::Tables(all_lanes), {}, pool, {});
  ASSERT_TRUE(stats.is_ok());
  EXPECT_EQ(stats->candidates, 0u);
}

TEST(SetJoin, PassesOnTheErrorOfASink) {
  const SetFamilies input(200, 6);
  ThreadPool pool(2);
  SetJoinSinks sinks;
  sinks.pairs = [](std::span<const SetPair>) -> Status { return Error{ErrorKind::io, "full"}; };
  const auto stats = set_join(input.mapped(), input.ids(), input.signatures(),
                              sketch::Tables(all_lanes), {}, pool, sinks);
  ASSERT_FALSE(stats.is_ok());
  EXPECT_EQ(stats.error().message, "full");
}

}  // namespace
}  // namespace kith::similar
