#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "similar/sets/set_join.h"
#include "sketch/set_sketches.h"
#include "support/temp_dir.h"
#include "unit/similar/sets/joined_sets.h"
#include "unit/similar/sets/set_families.h"

namespace kith::similar {
namespace {

using test::SetFamilies;

struct JoinedByShingles : test::JoinedSets {  // sorted
  SuperShingleJoinStats stats;
};

JoinedByShingles join_by_shingles(const SetFamilies& input, SuperShingleJoinOptions options,
                                  unsigned threads) {
  const kith::test::TempDir dir;
  ThreadPool pool(threads);
  options.scratch = dir / "sort";
  JoinedByShingles joined;
  const SetJoinSinks sinks = joined.sinks();
  const auto stats = super_shingle_join(storage::posix_file_system(), input.mapped(), input.ids(),
                                        input.signatures(), options, pool, sinks);
  EXPECT_TRUE(stats.is_ok());
  joined.stats = stats.value();
  joined.sort();
  return joined;
}

// What brute force finds: pairs of ids, and how many super-shingles each shares.
std::vector<std::pair<uint32_t, uint32_t>> sharing(const SetFamilies& input,
                                                   const SuperShingleJoinOptions& options,
                                                   uint64_t& collisions) {
  const std::vector<uint32_t> ids = input.ids();
  std::vector<std::vector<uint64_t>> keys;
  for (const uint32_t id : ids) {
    keys.emplace_back(options.groups);
    sketch::super_shingles(input.signatures()[id], options.minima, 0, keys.back());
  }
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  collisions = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t j = i + 1; j < ids.size(); ++j) {
      uint32_t shared = 0;
      for (uint32_t at = 0; at < options.groups; ++at) shared += keys[i][at] == keys[j][at];
      collisions += shared;
      if (shared >= options.least) pairs.emplace_back(ids[i], ids[j]);
    }
  }
  return pairs;
}

TEST(SuperShingleJoin, CandidatesAreThoseOfBruteForce) {
  const SetFamilies input(600, 3);
  for (const auto& [minima, groups, least] : {std::array{14u, 6u, 2u}, std::array{1u, 16u, 5u},
                                              std::array{3u, 10u, 1u}, std::array{2u, 4u, 4u}}) {
    SuperShingleJoinOptions options;
    options.minima = minima;
    options.groups = groups;
    options.least = least;
    options.rule.similarity = 0.7;
    uint64_t collisions = 0;
    const auto expected = sharing(input, options, collisions);
    ASSERT_GT(expected.size(), 50u);
    const JoinedByShingles found = join_by_shingles(input, options, 2);
    EXPECT_EQ(found.candidates, expected) << minima;
    EXPECT_EQ(found.stats.collisions, collisions);
    EXPECT_EQ(found.stats.candidates, expected.size());
    std::vector<SetPair> similar = input.similar(0.7);
    std::erase_if(similar, [&](const SetPair& pair) {
      return !std::ranges::binary_search(expected, std::pair(pair.a, pair.b));
    });
    EXPECT_EQ(found.pairs, similar);
    EXPECT_EQ(found.stats.similar, similar.size());
  }
}

TEST(SuperShingleJoin, WithoutVerificationEveryCandidateIsAPair) {
  const SetFamilies input(300, 4);
  SuperShingleJoinOptions options;
  options.minima = 1;
  options.groups = 16;
  options.rule = {.similarity = 0.9, .verify = false};
  const JoinedByShingles found = join_by_shingles(input, options, 2);
  ASSERT_EQ(found.pairs.size(), found.candidates.size());
  EXPECT_LT(found.stats.similar, found.pairs.size());
  for (size_t i = 0; i < found.pairs.size(); ++i) {
    const SetPair& pair = found.pairs[i];
    EXPECT_EQ(std::pair(pair.a, pair.b), found.candidates[i]);
    EXPECT_EQ(pair.common, sketch::overlap(input.sets()[pair.a], input.sets()[pair.b]).common);
  }
}

// Many sets that share their super-shingles: runs that do not fit the memory at once.
TEST(SuperShingleJoin, DependsOnNeitherThreadsNorMemory) {
  const SetFamilies input(3000, 5);
  SuperShingleJoinOptions options;
  options.minima = 1;
  options.groups = 8;
  options.rule.similarity = 0.5;
  const JoinedByShingles expected = join_by_shingles(input, options, 1);
  ASSERT_GT(expected.pairs.size(), 3000u);
  for (const unsigned threads : {1u, 4u}) {
    options.memory = threads == 1 ? 1 : 1 << 16;
    const JoinedByShingles found = join_by_shingles(input, options, threads);
    EXPECT_EQ(found.pairs, expected.pairs);
    EXPECT_EQ(found.candidates, expected.candidates);
    EXPECT_EQ(found.stats.collisions, expected.stats.collisions);
  }
}

TEST(SuperShingleJoin, OfNoSetsFindsNothing) {
  const SetFamilies input(0, 1);
  EXPECT_EQ(join_by_shingles(input, {}, 2).stats.candidates, 0u);
}

}  // namespace
}  // namespace kith::similar
