#include "pipeline/signature_stage.h"

#include <gtest/gtest.h>

#include "support/counting_mapping.h"
#include "support/memory_file_system.h"
#include "support/random_bags.h"

namespace kith::pipeline {
namespace {

// More than one block of bags; the file of a large collection would stay resident otherwise.
TEST(SignatureStage, GivesTheBagsBackBehindIt) {
  const test::OwnedBags owned = test::random_bags({.bags = 70'000, .words = 4, .seed = 5});
  const test::CountingMapping mapping;
  const BagCollection bags(owned.view().offsets(), owned.view().entries(), &mapping);
  test::MemoryFileSystem fs;
  ThreadPool pool(2);
  ASSERT_TRUE(write_signatures(fs, "signatures", bags, {.lanes = 16}, pool).is_ok());
  EXPECT_EQ(mapping.released(), std::as_bytes(bags.entries()).size());
}

}  // namespace
}  // namespace kith::pipeline
