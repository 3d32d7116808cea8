#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "cluster/plan/table_costs.h"
#include "unit/similar/collections.h"

namespace kith::cluster {
namespace {

class BucketSample : public testing::Test {
 protected:
  Meetings meetings(const BucketSampleOptions& options, unsigned threads = 2) const {
    ThreadPool pool(threads);
    return sample_meetings(bags_.view(), similar::find_duplicates(bags_.view(), pool), options,
                           pool);
  }

  test::OwnedBags bags_ =
      test::random_bags({.bags = 4000, .words = 10, .vocabulary = 300, .topics = 40, .seed = 6});
};

// With all bags in the sample: the members of the buckets of the same 16 tables, counted.
TEST_F(BucketSample, OfAllBagsIsACount) {
  ThreadPool pool(1);
  const similar::DuplicateGroups groups = similar::find_duplicates(bags_.view(), pool);
  const std::vector<uint32_t> ids = similar::distinct_bags(bags_.view(), groups);
  const sketch::Sketcher sketcher({});
  std::vector<std::vector<uint16_t>> signatures;
  for (const uint32_t id : ids) {
    signatures.emplace_back(sketcher.lanes());
    sketcher.sketch(bags_.view()[id], signatures.back());
  }
  for (const size_t largest : {30u, 100'000u}) {
    const Meetings found = meetings({.seed = 7, .least = ids.size(), .largest = largest});
    for (uint32_t k = 1; k < found.size(); ++k) {
      const sketch::Tables tables({.per_key = k, .tables = 16, .seed = 7});
      double expected = 0;
      double split = 0;
      for (uint32_t table = 0; table < 16; ++table) {
        std::map<uint64_t, size_t> sizes;
        for (const auto& signature : signatures) ++sizes[tables.key(table, signature)];
        for (const auto& [key, size] : sizes) {
          expected += static_cast<double>(size * std::min(size - 1, largest - 1));
          if (size > largest) split += static_cast<double>(size);
        }
      }
      const double entries = 16.0 * static_cast<double>(ids.size());
      EXPECT_NEAR(found[k].others, expected / entries, 1e-9) << k;
      EXPECT_NEAR(found[k].split, split / entries, 1e-9) << k;
    }
  }
}

TEST_F(BucketSample, OfSomeBagsIsNear) {
  const Meetings all = meetings({.least = 4000, .largest = 1 << 20});
  const Meetings some = meetings({.share = 0.25, .least = 1, .largest = 1 << 20});
  for (const uint32_t k : {1u, 2u}) {
    EXPECT_NEAR(some[k].others, all[k].others, 0.2 * all[k].others + 0.1) << k;
  }
  EXPECT_GT(all[1].others, all[2].others);
}

TEST_F(BucketSample, DoesNotDependOnThreads) {
  EXPECT_EQ(meetings({.least = 500}, 1), meetings({.least = 500}, 5));
}

TEST(BucketSampleOfNothing, IsZero) {
  const test::OwnedBags none;
  ThreadPool pool(1);
  EXPECT_EQ(sample_meetings(none.view(), similar::find_duplicates(none.view(), pool), {}, pool),
            Meetings{});
}

}  // namespace
}  // namespace kith::cluster
