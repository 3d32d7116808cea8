#include <algorithm>

#include <gtest/gtest.h>

#include "similar/fingerprints/simhash_join.h"
#include "sketch/simhash.h"
#include "support/temp_dir.h"
#include "unit/similar/fingerprints/fingerprints.h"
#include "unit/similar/sets/joined_sets.h"
#include "unit/similar/sets/set_families.h"

namespace kith::similar {
namespace {

using test::disk;
using test::SetFamilies;

struct JoinedByFingerprints : test::JoinedSets {  // sorted
  SimhashSetJoinStats stats;
};

JoinedByFingerprints join_by_fingerprints(const SetFamilies& input, SimhashSetJoinOptions options,
                                          unsigned threads) {
  const kith::test::TempDir dir;
  ThreadPool pool(threads);
  options.scratch = dir / "sort";
  JoinedByFingerprints joined;
  const SetJoinSinks sinks = joined.sinks();
  EXPECT_TRUE(write_set_fingerprints(disk, dir / "groups", input.mapped(), input.ids(),
                                     options.scratch, options.memory, pool));
  const auto groups =
      FingerprintGroups::open(disk, dir / "groups", static_cast<uint32_t>(input.sets().size()));
  EXPECT_TRUE(groups.is_ok());
  const auto stats = simhash_set_join(disk, input.mapped(), *groups, options, pool, sinks);
  EXPECT_TRUE(stats.is_ok());
  joined.stats = stats.value();
  joined.sort();
  return joined;
}

TEST(SimhashSetJoin, CandidatesAreThoseOfBruteForce) {
  const SetFamilies input(700, 6);
  const std::vector<uint32_t> ids = input.ids();
  std::vector<uint64_t> fingerprints;
  for (const uint32_t id : ids) fingerprints.push_back(set_fingerprint(input.sets()[id]));
  for (const uint32_t distance : {0u, 3u, 7u}) {
    std::vector<std::pair<uint32_t, uint32_t>> expected;
    std::vector<uint64_t> by_distance(distance + 1);
    std::vector<SetPair> similar = input.similar(0.8);
    for (size_t i = 0; i < ids.size(); ++i) {
      for (size_t j = i + 1; j < ids.size(); ++j) {
        const uint32_t differ = hamming_distance(fingerprints[i], fingerprints[j]);
        if (differ > distance) continue;
        expected.emplace_back(ids[i], ids[j]);
        ++by_distance[differ];
      }
    }
    std::erase_if(similar, [&](const SetPair& pair) {
      return !std::ranges::binary_search(expected, std::pair(pair.a, pair.b));
    });
    ASSERT_GT(similar.size(), 20u);
    SimhashSetJoinOptions options;
    options.distance = distance;
    const JoinedByFingerprints found = join_by_fingerprints(input, options, 2);
    EXPECT_EQ(found.candidates, expected) << distance;
    EXPECT_EQ(found.pairs, similar) << distance;
    EXPECT_EQ(found.stats.by_distance, by_distance);
    EXPECT_EQ(found.stats.candidates, expected.size());
    EXPECT_EQ(found.stats.similar, similar.size());
  }
}

TEST(SimhashSetJoin, WithoutVerificationEveryCandidateIsAPair) {
  const SetFamilies input(500, 7);
  SimhashSetJoinOptions options;
  options.distance = 7;
  options.rule = {.similarity = 0.95, .verify = false};
  const JoinedByFingerprints found = join_by_fingerprints(input, options, 2);
  ASSERT_EQ(found.pairs.size(), found.candidates.size());
  EXPECT_LT(found.stats.similar, found.pairs.size());
  EXPECT_GT(found.stats.similar, 0u);
  for (const SetPair& pair : found.pairs) {
    EXPECT_EQ(pair.common, sketch::overlap(input.sets()[pair.a], input.sets()[pair.b]).common);
  }
}

TEST(SimhashSetJoin, DependsOnNeitherThreadsNorMemory) {
  const SetFamilies input(2000, 8);
  SimhashSetJoinOptions options;
  options.distance = 5;
  options.rule.similarity = 0.5;
  const JoinedByFingerprints expected = join_by_fingerprints(input, options, 1);
  ASSERT_GT(expected.pairs.size(), 500u);
  for (const unsigned threads : {1u, 4u}) {
    options.memory = threads == 1 ? 1 : 1 << 16;
    const JoinedByFingerprints found = join_by_fingerprints(input, options, threads);
    EXPECT_EQ(found.pairs, expected.pairs);
    EXPECT_EQ(found.candidates, expected.candidates);
    EXPECT_EQ(found.stats.by_distance, expected.stats.by_distance);
  }
}

TEST(SimhashSetJoin, OfNoSetsFindsNothing) {
  const SetFamilies input(0, 1);
  EXPECT_EQ(join_by_fingerprints(input, {}, 2).stats.candidates, 0u);
}

}  // namespace
}  // namespace kith::similar
