#include "pipeline/memory_budget.h"

#include <gtest/gtest.h>

namespace kith::pipeline {
namespace {

constexpr uint64_t mebibyte = 1 << 20;

TEST(MemoryBudget, TooLittleNamesTheLeastAndTheLeastIsEnough) {
  EXPECT_TRUE(check_memory(64 * mebibyte, 0, "URLs").is_ok());
  EXPECT_TRUE(check_memory(uint64_t{4} << 30, 20'000'000, "URLs").is_ok());
  const Status status = check_memory(64 * mebibyte, 2'000'000, "URLs");
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::usage);
  EXPECT_EQ(status.error().message,
            "64 MiB of memory are too few for 2000000 URLs; --memory 182M is the least");
  EXPECT_TRUE(check_memory(64 * mebibyte, 2'000'000, "documents")
                  .error()
                  .message.starts_with("64 MiB of memory are too few for 2000000 documents;"));
  EXPECT_TRUE(check_memory(182 * mebibyte, 2'000'000, "URLs").is_ok());
}

TEST(MemoryBudget, AStageHasWhatTheUrlsLeave) {
  const uint64_t memory = uint64_t{1} << 30;
  EXPECT_EQ(working_memory(memory, 0), memory - bytes_of_program - rounding_bytes);
  EXPECT_EQ(working_memory(memory, 1'000'000),
            memory - bytes_of_program - rounding_bytes - 1'000'000 * bytes_of_url);
  EXPECT_EQ(working_memory(0, 1'000'000), least_working_bytes);
}

TEST(MemoryBudget, NothingAskedForMeansAPartOfTheMachine) {
  EXPECT_EQ(memory_or_default(100 * mebibyte), 100 * mebibyte);
  EXPECT_GT(memory_or_default(0), 100 * mebibyte);
}

}  // namespace
}  // namespace kith::pipeline
