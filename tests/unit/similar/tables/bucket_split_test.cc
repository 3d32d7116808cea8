// How buckets that are too large to compare are divided into parts.
#include "similar/tables/bucket_split.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "similar/tables/bucket_scan.h"

namespace kith::similar {
namespace {

constexpr uint32_t row_lanes = 32;

// Rows of which the first lane is the same in all: families of so many, and others.
class Rows {
 public:
  Rows(size_t families, size_t of_each, size_t others) {
    Rng rng(5);
    std::vector<uint16_t> base(row_lanes);
    for (size_t family = 0; family < families; ++family) {
      for (uint16_t& value : base) value = static_cast<uint16_t>(rng.below(4));
      for (size_t i = 0; i < of_each; ++i) {
        add(base);
        values_[values_.size() - 1 - rng.below(row_lanes - 1)] =
            static_cast<uint16_t>(rng.below(4));
      }
    }
    for (size_t i = 0; i < others; ++i) {
      for (uint16_t& value : base) value = static_cast<uint16_t>(rng.below(4));
      add(base);
    }
    ids_.resize(values_.size() / row_lanes);
    std::iota(ids_.begin(), ids_.end(), 0u);
    signatures_ = sketch::Signatures(values_, row_lanes);
  }

  MappedRows rows() const { return {signatures_, ids_}; }
  const std::vector<uint32_t>& ids() const { return ids_; }

 private:
  void add(const std::vector<uint16_t>& base) {
    values_.insert(values_.end(), base.begin(), base.end());
    values_[values_.size() - row_lanes] = 7;
  }

  std::vector<uint16_t> values_;
  std::vector<uint32_t> ids_;
  sketch::Signatures signatures_;
};

// Of a table whose key is the first lane.
sketch::Tables one_table() {
  for (uint64_t seed = 1;; ++seed) {
    sketch::Tables tables({.lanes = row_lanes, .per_key = 1, .tables = 1, .seed = seed});
    if (tables.subset(0).front() == 0) return tables;
  }
}

struct Parts {
  std::vector<std::vector<uint32_t>> visited;
  std::map<uint64_t, std::vector<uint32_t>> whole;
  size_t divided = 0;
};

Parts split(const Rows& input, BucketSplits& splits, ThreadPool* pool) {
  const MappedRows rows = input.rows();
  std::vector<uint32_t> members = input.ids();
  Parts parts;
  parts.divided = splits.split(
      0, 42, rows, members,
      [&](std::span<uint32_t> part) { parts.visited.emplace_back(part.begin(), part.end()); },
      [&](uint64_t name, std::span<const uint32_t> part) {
        EXPECT_TRUE(parts.whole.emplace(name, std::vector(part.begin(), part.end())).second);
      },
      pool);
  return parts;
}

BucketSplits make(const sketch::Tables& tables, const Rows& input, WholePartUse use) {
  const PivotRule rule{.tight = 28, .near = 28};
  return BucketSplits(tables, largest_bucket, rule, use, static_cast<uint32_t>(input.ids().size()));
}

TEST(BucketSplits, AreTheSameByAllThreadsAndByOne) {
  const Rows input(3, 2000, 4000);
  const sketch::Tables tables = one_table();
  for (const WholePartUse use :
       {WholePartUse::kept, WholePartUse::compared, WholePartUse::sampled}) {
    BucketSplits of_one = make(tables, input, use);
    BucketSplits of_all = make(tables, input, use);
    ThreadPool pool(3);
    const Parts expected = split(input, of_one, nullptr);
    const Parts found = split(input, of_all, &pool);
    EXPECT_EQ(found.visited, expected.visited);
    EXPECT_EQ(found.whole, expected.whole);
    EXPECT_EQ(found.divided, expected.divided);
    EXPECT_GT(expected.divided, 3000u);
    EXPECT_EQ(expected.whole.size(), use == WholePartUse::compared ? 0u : 3u);
  }
}

// What is remembered says of each row in which part it was.
TEST(BucketSplits, RememberThePartsThatWereVisited) {
  const Rows input(2, 2000, 3000);
  const MappedRows rows = input.rows();
  const sketch::Tables tables = one_table();
  for (const WholePartUse use :
       {WholePartUse::kept, WholePartUse::compared, WholePartUse::sampled}) {
    BucketSplits splits = make(tables, input, use);
    const Parts parts = split(input, splits, nullptr);
    std::set<uint64_t> names;
    std::vector<uint32_t> in_parts(input.ids().size());
    const auto check = [&](std::span<const uint32_t> part, bool is_whole) {
      const BucketPlace place = splits.place(0, uint64_t{42} << 32, rows, part.front());
      EXPECT_TRUE(place.is_split);
      EXPECT_TRUE(names.insert(place.part).second);
      for (const uint32_t row : part) {
        ++in_parts[row];
        const BucketPlace other = splits.place(0, uint64_t{42} << 32, rows, row);
        EXPECT_EQ(other.part, place.part);
        EXPECT_EQ(other.is_whole, is_whole);
      }
    };
    size_t largest = 0;
    for (const auto& part : parts.visited) {
      check(part, false);
      largest = std::max(largest, part.size());
    }
    EXPECT_EQ(largest > largest_bucket, use == WholePartUse::compared);
    if (use == WholePartUse::kept) {
      for (const auto& [name, part] : parts.whole) check(part, true);
    }
    EXPECT_LE(std::ranges::max(in_parts), 1u);
    // All but those that are alone in their part.
    EXPECT_GT(std::ranges::count(in_parts, 1u), 4000);
  }
}

TEST(BucketScan, SetsBucketsOfVeryManyRowsAsideForAllThreads) {
  const Rows input(1, LargeBucket::giant + 1, 0);
  const MappedRows rows = input.rows();
  const sketch::Tables tables = one_table();
  ThreadPool pool(2);
  BucketSplits splits(tables, largest_bucket);
  BucketScan scan(rows, tables, splits, false, pool);
  scan.start(0);
  for (size_t partition = 0; partition < scan.partitions(); ++partition) {
    scan.visit(partition, 0, [](std::span<uint32_t>) { FAIL() << "of a giant bucket"; });
  }
  std::vector<LargeBucket> large = scan.take_large();
  ASSERT_EQ(large.size(), 1u);
  EXPECT_TRUE(large.front().is_giant());
  size_t members = 0;
  for (const std::span<uint32_t> part : scan.split(large.front())) {
    EXPECT_LE(part.size(), largest_bucket);
    members += part.size();
  }
  EXPECT_GT(members, LargeBucket::giant / 2);
  EXPECT_EQ(scan.splits().members, LargeBucket::giant + 1);
}

}  // namespace
}  // namespace kith::similar
