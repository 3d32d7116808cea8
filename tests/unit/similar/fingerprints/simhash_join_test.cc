#include "similar/fingerprints/simhash_join.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "sketch/simhash.h"
#include "unit/similar/fingerprints/fingerprints.h"

namespace kith::similar {
namespace {

using test::flip;

std::vector<uint64_t> distinct(std::vector<uint64_t> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<uint64_t> random_values(size_t n, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = rng();
  return distinct(std::move(values));
}

// Families around centers, up to `spread` bits away.
std::vector<uint64_t> clustered_values(size_t n, size_t centers, uint64_t spread, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint64_t> center(centers);
  for (uint64_t& value : center) value = rng();
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) {
    value = flip(center[rng.below(centers)], rng.below(spread + 1), rng);
  }
  return distinct(std::move(values));
}

// Few bits differ at all, and not side by side.
std::vector<uint64_t> dense_values(size_t n, uint64_t mask, uint64_t seed) {
  Rng rng(seed);
  std::vector<uint64_t> values(n);
  for (uint64_t& value : values) value = (rng() & mask) | (0x5a5a5a5a5a5a5a5au & ~mask);
  return distinct(std::move(values));
}

std::vector<FingerprintPair> by_brute_force(const std::vector<uint64_t>& values, uint32_t k) {
  std::vector<FingerprintPair> pairs;
  for (uint32_t a = 0; a < values.size(); ++a) {
    for (uint32_t b = a + 1; b < values.size(); ++b) {
      const uint32_t distance = hamming_distance(values[a], values[b]);
      if (distance <= k) pairs.push_back({a, b, distance});
    }
  }
  return pairs;
}

std::vector<FingerprintPair> joined(const std::vector<uint64_t>& values,
                                    const SimhashJoinOptions& options, unsigned threads,
                                    SimhashJoinStats* stats = nullptr) {
  ThreadPool pool(threads);
  std::vector<FingerprintPair> pairs;
  const auto result =
      simhash_join(values, options, pool, [&](std::span<const FingerprintPair> batch) {
        pairs.insert(pairs.end(), batch.begin(), batch.end());
        return Status::ok();
      });
  EXPECT_TRUE(result.is_ok());
  EXPECT_EQ(result->pairs, pairs.size());
  if (stats != nullptr) *stats = *result;
  std::ranges::sort(pairs);
  return pairs;
}

TEST(SimhashJoin, NothingOneAndDistanceZero) {
  EXPECT_TRUE(joined({}, {}, 1).empty());
  EXPECT_TRUE(joined({5}, {}, 2).empty());
  EXPECT_TRUE(joined({0, 1, 2, 3}, {.distance = 0}, 1).empty());
  EXPECT_EQ(joined({0, ~uint64_t{0}}, {.distance = 7}, 1).size(), 0u);
  EXPECT_EQ(joined({0, 7, 15}, {}, 1), (std::vector<FingerprintPair>{{0, 1, 3}, {1, 2, 1}}));
}

TEST(SimhashJoin, MissesNoPairAtAnyDistance) {
  const std::vector<std::vector<uint64_t>> collections = {
      random_values(2000, 1),
      clustered_values(4000, 5, 6, 2),
      clustered_values(4000, 200, 10, 3),
      dense_values(2000, 0xffff, 4),
      dense_values(2000, 0x8000400020001fffu, 5),
      dense_values(2000, 0x0101010101010101u * 0x11, 6),
  };
  for (const std::vector<uint64_t>& values : collections) {
    for (uint32_t k = 0; k <= 7; ++k) {
      EXPECT_EQ(joined(values, {.distance = k}, 1), by_brute_force(values, k)) << k;
    }
  }
}

TEST(SimhashJoin, BlocksDoNotMatter) {
  const std::vector<uint64_t> values = clustered_values(6000, 40, 8, 7);
  for (const uint32_t k : {1u, 3u, 7u}) {
    const std::vector<FingerprintPair> expected = by_brute_force(values, k);
    EXPECT_FALSE(expected.empty());
    for (uint32_t blocks = k + 1; blocks <= k + 8; ++blocks) {
      EXPECT_EQ(joined(values, {.distance = k, .blocks = blocks}, 1), expected)
          << k << " " << blocks;
    }
  }
}

// Half random, half crowded together: groups of every kind.
std::vector<uint64_t> mixed_values() {
  std::vector<uint64_t> values = random_values(100'000, 8);
  for (const uint64_t value : clustered_values(100'000, 10'000, 5, 9)) values.push_back(value);
  // They share their upper half.
  for (const uint64_t value : random_values(300'000, 10)) values.push_back(value >> 32);
  return distinct(std::move(values));
}

TEST(SimhashJoin, ThreadsAndMemoryDoNotMatter) {
  const std::vector<uint64_t> values = mixed_values();
  SimhashJoinStats whole;
  SimhashJoinStats parts;
  const std::vector<FingerprintPair> expected = joined(values, {}, 1, &whole);
  EXPECT_FALSE(expected.empty());
  for (const unsigned threads : {1u, 2u, 5u}) {
    EXPECT_EQ(joined(values, {}, threads), expected);
    EXPECT_EQ(joined(values, {.memory = 1}, threads, &parts), expected);
    EXPECT_GT(parts.scans, whole.scans);
  }
  EXPECT_EQ(joined(values, {.blocks = 5, .memory = 6 << 20}, 2), expected);
}

TEST(SimhashJoin, AnErrorOfTheSinkEndsIt) {
  const std::vector<uint64_t> values = clustered_values(20'000, 5, 3, 11);
  for (const unsigned threads : {1u, 2u}) {
    ThreadPool pool(threads);
    uint32_t calls = 0;
    const auto result = simhash_join(values, {}, pool, [&](auto) -> Status {
      ++calls;
      return Error{ErrorKind::io, "full"};
    });
    ASSERT_FALSE(result.is_ok());
    EXPECT_EQ(result.error().message, "full");
    EXPECT_EQ(calls, 1u);
  }
}

TEST(SimhashJoin, ProgressAscendsToOne) {
  const std::vector<uint64_t> values = random_values(10'000, 12);
  ThreadPool pool(2);
  std::vector<double> shares;
  const auto sink = [](auto) { return Status::ok(); };
  ASSERT_TRUE(simhash_join(values, {}, pool, sink, [&](double share) { shares.push_back(share); }));
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_EQ(shares.back(), 1.0);
}

}  // namespace
}  // namespace kith::similar
