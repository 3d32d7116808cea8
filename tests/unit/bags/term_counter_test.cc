#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "bags/weights.h"

namespace kith::bags {
namespace {

using Counted = std::vector<std::pair<uint32_t, uint32_t>>;

Counted take(TermCounter& counter) {
  std::vector<TermCount> counts;
  counter.take(counts);
  Counted pairs;
  for (const TermCount& entry : counts) pairs.emplace_back(entry.term, entry.count);
  return pairs;
}

// Twin: std::map. One counter is used again and again, as for the URLs of a partition.
RC_GTEST_PROP(TermCounter, CountsLikeAMap, (const std::vector<std::vector<uint16_t>>& bags)) {
  TermCounter counter;
  for (const std::vector<uint16_t>& bag : bags) {
    std::map<uint32_t, uint32_t> expected;
    for (const uint32_t term : bag) {
      counter.add(term);
      ++expected[term];
    }
    RC_ASSERT(take(counter) == Counted(expected.begin(), expected.end()));
  }
}

TEST(TermCounter, HoldsManyTermsAndIsSmallAgainAfterwards) {
  TermCounter counter;
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t term = 0; term < 100'000; ++term) counter.add(term * 3);
    const Counted counts = take(counter);
    ASSERT_EQ(counts.size(), 100'000u);
    EXPECT_EQ(counts.back(), std::pair(299'997u, 1u));
  }
  counter.add(UINT32_MAX - 1);
  counter.add(0);
  counter.add(UINT32_MAX - 1);
  EXPECT_EQ(take(counter), (Counted{{0, 1}, {UINT32_MAX - 1, 2}}));
  EXPECT_TRUE(take(counter).empty());
}

TEST(TermCounter, CountsLikeAMapBeyondItsTable) {
  TermCounter counter;
  std::map<uint32_t, uint32_t> expected;
  uint32_t term = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    term = term * 1664525 + 1013904223;
    counter.add(term >> 13);
    ++expected[term >> 13];
  }
  ASSERT_GT(expected.size(), 300'000u);
  EXPECT_EQ(take(counter), Counted(expected.begin(), expected.end()));
  counter.add(7);
  EXPECT_EQ(take(counter), (Counted{{7, 1}}));
}

}  // namespace
}  // namespace kith::bags
