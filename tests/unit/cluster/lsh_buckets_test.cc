// The scan of the buckets against its definition, pair by pair.
#include "cluster/lsh_buckets.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/order.h"
#include "unit/cluster/collection.h"

namespace kith::cluster {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

// Ids of which every fifth is left out, and how many equal bags each stands for.
struct BucketIds {
  explicit BucketIds(size_t n) {
    for (uint32_t id = 0; id < n; ++id) {
      multiplicity.push_back(1 + id % 3);
      if (id % 5 != 0) ids.push_back(id);
    }
  }
  std::vector<uint32_t> ids;
  std::vector<uint32_t> multiplicity;
};

void expect_defined(const LshBuckets& buckets, const sketch::Signatures& signatures,
                    const BucketIds& input, bool weighted) {
  const uint32_t tables = buckets.tables.params().tables;
  std::vector<uint64_t> sharing(tables, 0);
  for (uint32_t a = 0; a < signatures.size(); ++a) {
    const bool scanned = std::ranges::binary_search(input.ids, a);
    uint64_t mass = scanned && weighted ? uint64_t{input.multiplicity[a] - 1} * tables : 0;
    for (uint32_t table = 0; table < tables; ++table) {
      bool shares = false;
      for (const uint32_t b : input.ids) {
        if (!scanned || a == b) continue;
        const bool meet =
            buckets.tables.key(table, signatures[a]) == buckets.tables.key(table, signatures[b]);
        if (meet) mass += weighted ? input.multiplicity[b] : 1;
        shares |= cluster::test::part_of(buckets, table, a, signatures[a]) ==
                  cluster::test::part_of(buckets, table, b, signatures[b]);
      }
      ASSERT_EQ(buckets.shared.shares(a, table), shares) << a << " in table " << table;
      sharing[table] += shares;
    }
    ASSERT_EQ(buckets.mass[a], mass) << a;
  }
  EXPECT_EQ(buckets.sharing, sharing);
}

TEST(LshBuckets, AreAsDefined) {
  const cluster::test::Collection collection(
      kith::test::random_bags({.bags = 200, .words = 8, .vocabulary = 50, .topics = 4}));
  const sketch::Signatures signatures = collection.sketched().signatures;
  const BucketIds input(collection.size());
  for (const uint32_t count : {9u, 64u, 70u}) {
    const sketch::Tables tables({.lanes = cluster::test::lanes, .per_key = 2, .tables = count});
    for (const unsigned threads : {1u, 2u, 5u}) {
      ThreadPool pool(threads);
      for (const uint64_t memory : {uint64_t{15'000}, UINT64_MAX}) {
        const BucketOptions options{.largest = 512, .memory = memory};
        expect_defined(scan_buckets(tables, signatures, input.ids, {}, options, pool), signatures,
                       input, false);
        expect_defined(
            scan_buckets(tables, signatures, input.ids, input.multiplicity, options, pool),
            signatures, input, true);
      }
    }
  }
}

TEST(LshBuckets, NoPartIsOverTheBound) {
  const cluster::test::Collection collection(
      kith::test::random_bags({.bags = 300, .words = 8, .vocabulary = 30, .topics = 2}));
  const sketch::Signatures signatures = collection.sketched().signatures;
  const sketch::Tables tables({.lanes = cluster::test::lanes, .per_key = 1, .tables = 5});
  const BucketIds input(collection.size());
  ThreadPool pool(2);
  for (const size_t largest : {2u, 3u, 20u}) {
    const LshBuckets buckets =
        scan_buckets(tables, signatures, input.ids, {}, {.largest = largest}, pool);
    EXPECT_TRUE(buckets.splits.any(0));
    expect_defined(buckets, signatures, input, false);
    for (uint32_t table = 0; table < 5; ++table) {
      std::vector<uint64_t> parts;
      for (const uint32_t id : input.ids)
        parts.push_back(cluster::test::part_of(buckets, table, id, signatures[id]));
      for (const uint64_t part : parts) {
        EXPECT_LE(static_cast<size_t>(std::ranges::count(parts, part)), largest);
      }
    }
  }
}

// One bucket of all, with and without a bound.
TEST(LshBuckets, EqualSignatures) {
  constexpr uint32_t n = 10000;
  const std::vector<uint16_t> values(size_t{n} * 16, 3);
  const sketch::Signatures signatures(values, 16);
  const sketch::Tables tables({.lanes = 16, .per_key = 2, .tables = 3});
  ThreadPool pool(3);
  for (const size_t largest : {size_t{n}, size_t{100}}) {
    const LshBuckets buckets =
        scan_buckets(tables, signatures, order_by_id(n), {}, {.largest = largest}, pool);
    EXPECT_THAT(buckets.mass.span(), Each(3 * (n - 1)));
    EXPECT_EQ(buckets.splits.any(0), largest < n);
    EXPECT_EQ(buckets.split.buckets, largest < n ? 3u : 0u);
    EXPECT_EQ(buckets.split.largest, largest < n ? n : 0u);
  }
}

TEST(LshBuckets, AFewLargeOnesAreNotSplit) {
  constexpr uint32_t n = 10000;
  constexpr uint32_t alike = 300;
  Rng rng(3);
  std::vector<uint16_t> values(size_t{n} * 16, 3);
  for (size_t i = size_t{alike} * 16; i < values.size(); ++i)
    values[i] = static_cast<uint16_t>(rng());
  const sketch::Signatures signatures(values, 16);
  const sketch::Tables tables({.lanes = 16, .per_key = 2, .tables = 3});
  ThreadPool pool(2);
  const LshBuckets buckets =
      scan_buckets(tables, signatures, order_by_id(n), {}, {.largest = 100}, pool);
  EXPECT_EQ(buckets.split.buckets, 0u);
  for (uint32_t id = 0; id < alike; ++id) {
    EXPECT_EQ(cluster::test::part_of(buckets, 0, id, signatures[id]),
              cluster::test::part_of(buckets, 0, 0, signatures[0]));
    EXPECT_GE(buckets.mass[id], 3 * (alike - 1));
  }
}

// In order, evenly, and all of them but UINT32_MAX, which PartLists has for none.
TEST(LshBuckets, ShortParts) {
  LshBuckets buckets = {
      sketch::Tables({}), similar::BucketSplits(sketch::Tables({})), {0, 3}, {}, {}, {}, {}};
  buckets.sharing = {0, 1000, uint64_t{1} << 32};
  EXPECT_EQ(buckets.short_parts(0), 256u);
  EXPECT_EQ(buckets.short_parts(1), 32u * 256u);
  EXPECT_EQ(buckets.short_parts(2), (uint64_t{1} << 32) - 256);
  for (const uint32_t key : {0u, 1u, 12345u, 1u << 31, UINT32_MAX - 1, UINT32_MAX}) {
    EXPECT_EQ(buckets.short_part(0, key), key >> 24);
    EXPECT_EQ(buckets.short_part(1, key), key >> 19);
    // Less a part of 2^24 of it.
    EXPECT_LE(buckets.short_part(2, key), key);
    EXPECT_GE(buckets.short_part(2, key), key - std::min(key, 1 + (key >> 24)));
    EXPECT_LT(buckets.short_part(2, key), buckets.short_parts(2));
  }
}

TEST(LshBuckets, Nothing) {
  const sketch::Tables tables({.lanes = 16, .per_key = 2, .tables = 3});
  ThreadPool pool(1);
  const LshBuckets none = scan_buckets(tables, sketch::Signatures({}, 16), {}, {}, {}, pool);
  EXPECT_EQ(none.mass.size(), 0u);
  const std::vector<uint16_t> values(5 * 16, 3);
  EXPECT_THAT(scan_buckets(tables, sketch::Signatures(values, 16), {}, {}, {}, pool).mass.span(),
              ElementsAreArray(std::vector<uint64_t>(5, 0)));
}

TEST(SharedTables, VisitsARange) {
  constexpr uint32_t tables = 150;
  SharedTables shared(3, tables);
  std::vector<uint32_t> set{0, 1, 63, 64, 100, 127, 128, 149};
  for (uint32_t word = 0; word < tables; word += 64) {
    uint64_t bits = 0;
    for (const uint32_t table : set) {
      if (table / 64 == word / 64) bits |= SharedTables::bit(table);
    }
    shared.set_word(1, word, bits);
  }
  for (const uint32_t begin : {0u, 1u, 2u, 64u, 65u, 127u, 149u, 150u}) {
    for (const uint32_t end : {0u, 1u, 63u, 64u, 65u, 128u, 149u, 150u}) {
      std::vector<uint32_t> seen;
      std::vector<uint32_t> expected;
      shared.for_each(1, begin, end, [&](uint32_t table) { seen.push_back(table); });
      std::ranges::copy_if(set, std::back_inserter(expected),
                           [&](uint32_t table) { return begin <= table && table < end; });
      EXPECT_EQ(seen, expected) << begin << " to " << end;
    }
  }
  shared.for_each(0, 0, tables, [](uint32_t) { ADD_FAILURE(); });
  shared.for_each(2, 0, tables, [](uint32_t) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace kith::cluster
