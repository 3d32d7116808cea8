#include <gtest/gtest.h>

#include "jobs/cluster/pair_stage.h"
#include "support/memory_file_system.h"
#include "support/random_bags.h"
#include "support/untouchable.h"

namespace kith::jobs {
namespace {

// More than one block of bags; the file of a large collection would stay resident otherwise.
TEST(SignatureStage, TouchesNoPageOfTheBags) {
  const test::OwnedBags owned = test::random_bags({.bags = 70'000, .words = 4, .seed = 5});
  const sketch::BagCollection plain = owned.view();
  const test::Untouchable<sketch::BagEntry> mapping(
      {plain.entries().begin(), plain.entries().end()});
  const sketch::BagCollection bags(plain.offsets(), mapping.span(), &mapping);
  test::MemoryFileSystem fs;
  ThreadPool pool(2);
  ASSERT_TRUE(write_signatures(fs, "signatures", bags, {.lanes = 16}, pool).is_ok());
  ASSERT_TRUE(write_signatures(fs, "of memory", plain, {.lanes = 16}, pool).is_ok());
  EXPECT_EQ(storage::read_file(fs, "signatures").value(),
            storage::read_file(fs, "of memory").value());
  EXPECT_LE(mapping.largest(), 1u << 20);
}

}  // namespace
}  // namespace kith::jobs
