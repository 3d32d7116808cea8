#include <algorithm>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parallel/thread_pool.h"
#include "base/random.h"
#include "topics/vectors.h"

namespace kith::topics {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

TEST(TermNumbers, AreRanksAmongTheTermsSeen) {
  constexpr uint32_t terms = 20'000;
  TermNumbers numbers(terms);
  Rng rng(1);
  for (const size_t size : {3'000u, 1u, 0u, 50u}) {
    std::set<uint32_t> seen;
    for (size_t i = 0; i < size; ++i) seen.insert(static_cast<uint32_t>(rng.below(terms)));
    if (size > 0) seen.insert({0, terms - 1});
    for (int twice = 0; twice < 2; ++twice) {
      for (const uint32_t term : seen) numbers.see(term);
    }
    EXPECT_THAT(numbers.number(), ElementsAreArray(seen));
    uint32_t rank = 0;
    for (const uint32_t term : seen) EXPECT_EQ(numbers[term], rank++);
    numbers.clear();
    EXPECT_THAT(numbers.number(), IsEmpty());
  }
}

TEST(TermNumbers, AreSeenBySeveralThreads) {
  constexpr uint32_t terms = 10'000;
  TermNumbers numbers(terms);
  ThreadPool pool(4);
  pool.for_chunks(4 * terms, 100, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) {
      if (i % 3 == 0) numbers.see(static_cast<uint32_t>(i * 7 % terms));
    }
  });
  std::set<uint32_t> seen;
  for (size_t i = 0; i < size_t{4} * terms; i += 3)
    seen.insert(static_cast<uint32_t>(i * 7 % terms));
  EXPECT_THAT(numbers.number(), ElementsAreArray(seen));
}

}  // namespace
}  // namespace kith::topics
