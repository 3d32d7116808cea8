#include "pipeline/signature_stage.h"

#include <atomic>
#include <cstring>

#include <gtest/gtest.h>

#include "support/memory_file_system.h"
#include "support/random_bags.h"

namespace kith::pipeline {
namespace {

class CountingMapping : public Mapping {
 public:
  void release(Bytes bytes) const override { released += bytes.size(); }
  void copy(Bytes from, std::byte* to) const override { std::memcpy(to, from.data(), from.size()); }
  mutable std::atomic<uint64_t> released = 0;
};

// More than one block of bags; the file of a large collection would stay resident otherwise.
TEST(SignatureStage, GivesTheBagsBackBehindIt) {
  const test::OwnedBags owned = test::random_bags({.bags = 70'000, .words = 4, .seed = 5});
  const CountingMapping mapping;
  const BagCollection bags(owned.view().offsets(), owned.view().entries(), &mapping);
  test::MemoryFileSystem fs;
  ThreadPool pool(2);
  ASSERT_TRUE(write_signatures(fs, "signatures", bags, {.lanes = 16}, pool).is_ok());
  EXPECT_EQ(mapping.released, std::as_bytes(bags.entries()).size());
}

}  // namespace
}  // namespace kith::pipeline
