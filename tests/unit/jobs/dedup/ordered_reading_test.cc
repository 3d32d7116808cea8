#include <gtest/gtest.h>

#include "jobs/dedup/read.h"

namespace kith::jobs {
namespace {

TEST(WritingOrder, GoesFromNumberToNumber) {
  WritingOrder order;
  EXPECT_TRUE(order.await(0));
  order.pass_on(0);
  EXPECT_TRUE(order.await(1));
}

// Else those that have a later number would wait for the one that has failed.
TEST(WritingOrder, StaysFailedWhenTheOneWhoseTurnItIsPassesOn) {
  WritingOrder order;
  EXPECT_TRUE(order.await(0));
  order.fail();
  order.pass_on(0);
  EXPECT_FALSE(order.await(1));
}

}  // namespace
}  // namespace kith::jobs
