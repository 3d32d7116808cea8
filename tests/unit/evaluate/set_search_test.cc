#include <mutex>

#include <gtest/gtest.h>

#include "evaluate/recall_check.h"
#include "similar/sets/set_pairs.h"
#include "unit/similar/sets/set_families.h"

namespace kith::evaluate {
namespace {

// What is found, as {query, other, common}, ascending.
std::vector<similar::SetPair> found_of(const test::SetFamilies& input,
                                       std::span<const uint32_t> queries, double similarity,
                                       ThreadPool& pool, uint64_t memory) {
  std::mutex mutex;
  std::vector<similar::SetPair> all;
  find_similar(input.sets(), input.ids(), queries, {.similarity = similarity}, pool, memory,
               [&](const FoundSet& found, unsigned worker) {
                 EXPECT_LT(worker, pool.size());
                 const std::lock_guard lock(mutex);
                 all.push_back({queries[found.query], found.id, found.common});
               });
  std::ranges::sort(all);
  return all;
}

TEST(SetSearch, FindsThePairsOfBruteForce) {
  const test::SetFamilies input(300, 7);
  const std::vector<uint32_t> ids = input.ids();
  std::vector<uint32_t> queries;
  for (size_t i = 0; i < ids.size(); i += 3) queries.push_back(ids[i]);
  for (const double similarity : {0.1, 0.8, 1.0}) {
    std::vector<similar::SetPair> expected;
    for (const similar::SetPair& pair : input.similar(similarity)) {
      if (std::ranges::binary_search(queries, pair.a)) expected.push_back(pair);
      if (std::ranges::binary_search(queries, pair.b)) {
        expected.push_back({pair.b, pair.a, pair.common});
      }
    }
    std::ranges::sort(expected);
    ASSERT_FALSE(expected.empty());
    for (const unsigned threads : {1u, 3u}) {
      ThreadPool pool(threads);
      // All queries at once, some at a time, and one at a time without postings.
      for (const uint64_t memory : {uint64_t{0}, uint64_t{1} << 15, uint64_t{1}}) {
        EXPECT_EQ(found_of(input, queries, similarity, pool, memory), expected);
      }
    }
  }
}

TEST(SetSearch, OfNoQueriesIsNothing) {
  const test::SetFamilies input(10, 8);
  ThreadPool pool(1);
  EXPECT_TRUE(found_of(input, {}, 0.5, pool, 0).empty());
}

}  // namespace
}  // namespace kith::evaluate
