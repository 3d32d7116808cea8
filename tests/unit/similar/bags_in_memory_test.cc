#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "similar/duplicates.h"
#include "support/random_bags.h"
#include "support/untouchable.h"

namespace kith::similar {
namespace {

TEST(BagsInMemory, AreTheSameForAnyThreadsAndTouchNoPageOfTheFile) {
  const test::OwnedBags owned = test::random_bags({.bags = 40'000, .words = 30, .seed = 3});
  const sketch::BagCollection bags = owned.view();
  const test::Untouchable<sketch::BagEntry> file({bags.entries().begin(), bags.entries().end()});
  const sketch::BagCollection mapped(bags.offsets(), file.span(), &file);
  for (const unsigned threads : {1u, 3u}) {
    ThreadPool pool(threads);
    BagsInMemory copy(mapped, pool);
    const BagsInMemory moved = std::move(copy);
    ASSERT_EQ(moved.bags().size(), bags.size());
    EXPECT_TRUE(std::ranges::equal(moved.bags().offsets(), bags.offsets()));
    EXPECT_TRUE(std::ranges::equal(moved.bags().entries(), bags.entries()));
  }
  EXPECT_GT(bags.entries().size_bytes(), file.largest());  // in several blocks
}

TEST(BagsInMemory, MayBeNone) {
  ThreadPool pool(1);
  EXPECT_EQ(BagsInMemory(sketch::BagCollection(), pool).bags().size(), 0u);
  const std::vector<uint64_t> offsets = {0, 0, 0};
  const BagsInMemory empty(sketch::BagCollection(offsets, {}), pool);
  ASSERT_EQ(empty.bags().size(), 2u);
  EXPECT_TRUE(empty.bags()[1].empty());
}

}  // namespace
}  // namespace kith::similar
