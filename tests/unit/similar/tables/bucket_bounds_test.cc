#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "similar/tables/bucket_scan.h"

namespace kith::similar {
namespace {

constexpr sketch::TableParams two_tables{.lanes = 16, .per_key = 2, .tables = 2};

// Signatures of families: the rows of one agree in every lane.
struct Families {
  explicit Families(const std::vector<size_t>& sizes) {
    Rng rng(7);
    for (const size_t size : sizes) {
      std::vector<uint16_t> row(two_tables.lanes);
      for (uint16_t& value : row) value = static_cast<uint16_t>(rng());
      for (size_t i = 0; i < size; ++i) values.insert(values.end(), row.begin(), row.end());
    }
    signatures = sketch::Signatures(values, two_tables.lanes);
    for (uint32_t id = 0; id < signatures.size(); ++id) ids.push_back(id);
  }

  std::vector<uint16_t> values;
  sketch::Signatures signatures;
  std::vector<uint32_t> ids;
};

size_t raised_bound(const std::vector<size_t>& sizes, size_t bound, uint64_t memory = 0,
                    unsigned threads = 2) {
  const Families families(sizes);
  const sketch::Tables tables(two_tables);
  BucketSplits splits(tables, bound);
  ThreadPool pool(threads);
  raise_bounds(MappedRows(families.signatures, families.ids), tables, splits, memory, pool);
  EXPECT_EQ(splits.largest(0), splits.largest(1));
  return splits.largest(0);
}

std::vector<size_t> with_single_rows(std::vector<size_t> sizes, size_t rows) {
  sizes.resize(sizes.size() + rows, 1);
  return sizes;
}

TEST(BucketBounds, StayWhereNothingIsLarger) {
  EXPECT_EQ(raised_bound({8, 8, 3}, 8), 8u);
  EXPECT_EQ(raised_bound({5}, 8), 8u);
  EXPECT_EQ(raised_bound({}, 8), 8u);
}

TEST(BucketBounds, GrowUntilTheLargestBucketFits) {
  // 40 * 39 / 2 = 780 comparisons, and 1040 rows in buckets of 8 take 3640: half of it is granted.
  EXPECT_EQ(raised_bound(with_single_rows({40}, 1000), 8), 64u);
}

TEST(BucketBounds, AreHeldByWhatComparingTakes) {
  // Granted: 600 * 7 / 4 = 1050. With 16 the bucket takes 100 * 15 / 2 = 750, with 32 1550.
  EXPECT_EQ(raised_bound(with_single_rows({100}, 500), 8), 16u);
  // Small buckets take their share first: 25 of 8 take 700, and 750 more are too much.
  std::vector<size_t> sizes(25, 8);
  sizes.push_back(100);
  EXPECT_EQ(raised_bound(with_single_rows(sizes, 300), 8), 8u);
}

TEST(BucketBounds, StayWhereEverythingIsAlike) {
  EXPECT_EQ(raised_bound({5000}, 8), 8u);
}

TEST(BucketBounds, DependOnNeitherThreadsNorMemory) {
  const std::vector<size_t> sizes = with_single_rows({300, 40, 100, 9, 9, 70, 8}, 9000);
  const size_t expected = raised_bound(sizes, 8, 0, 1);
  EXPECT_EQ(expected, 64u);  // 15,685 comparisons; with 128 it were 27,295 of 16,688
  for (const unsigned threads : {1u, 3u}) {
    EXPECT_EQ(raised_bound(sizes, 8, 100'000, threads), expected);
  }
}

}  // namespace
}  // namespace kith::similar
