#include "run/memory_budget.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "run/pages.h"

namespace kith::run {
namespace {

constexpr uint64_t mebibyte = 1 << 20;

TEST(MemoryBudget, TooLittleNamesTheLeastAndTheLeastIsEnough) {
  EXPECT_TRUE(check_memory(64 * mebibyte, 0, "URLs").is_ok());
  EXPECT_TRUE(check_memory(uint64_t{4} << 30, 20'000'000, "URLs").is_ok());
  const Status status = check_memory(64 * mebibyte, 2'000'000, "URLs");
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::usage);
  EXPECT_EQ(status.error().message,
            "64 MiB of memory are too few for 2000000 URLs; memory = 182M is the minimum");
  EXPECT_TRUE(check_memory(64 * mebibyte, 2'000'000, "documents")
                  .error()
                  .message.starts_with("64 MiB of memory are too few for 2000000 documents;"));
  EXPECT_TRUE(check_memory(182 * mebibyte, 2'000'000, "URLs").is_ok());
}

TEST(MemoryBudget, TheLeastForAShareGivesThatShare) {
  for (const uint64_t share : {uint64_t{1}, uint64_t{20'000'000}, uint64_t{123'456'789}}) {
    constexpr uint64_t urls = 1'000'000;
    const auto working = [](uint64_t memory) {
      return working_memory(memory * mebibyte, urls).share(Share::pair_join);
    };
    const Status status = working(1).check(share, counted(urls, "URLs"));
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
    uint64_t least = 1;
    while (!working(least).check(share, "URLs")) ++least;
    EXPECT_EQ(
        status.error().message,
        fmt::format("1 MiB of memory are too few for 1000000 URLs; memory = {}M is the minimum",
                    least));
    EXPECT_GE(working(least).bytes(), share);
  }
}

TEST(MemoryBudget, PagesAreRefusedAsSoonAsTheyAreTooMany) {
  const uint64_t memory = 64 * mebibyte;
  uint64_t pages = 1;
  while (check_pages(memory, pages)) ++pages;
  EXPECT_GT(pages, 100'000u);
  // What they would take later is no less.
  EXPECT_TRUE(check_memory(memory, pages - 1, "URLs").is_ok());
  const Status status = check_pages(memory, pages);
  EXPECT_EQ(status.error().kind, ErrorKind::usage);
  EXPECT_EQ(status.error().message,
            fmt::format("64 MiB of memory are too few for {} pages and more; memory = 65M is the "
                        "minimum for so many",
                        pages));
  EXPECT_TRUE(check_pages(65 * mebibyte, pages).is_ok());
  EXPECT_FALSE(check_pages(65 * mebibyte, pages, bytes_of_page_key, 10 * mebibyte).is_ok());
}

TEST(MemoryBudget, AStageHasWhatTheUrlsLeave) {
  const uint64_t memory = uint64_t{1} << 30;
  EXPECT_EQ(working_memory(memory, 0).bytes(), memory - bytes_of_program - rounding_bytes);
  EXPECT_EQ(working_memory(memory, 1'000'000).bytes(),
            memory - bytes_of_program - rounding_bytes - 1'000'000 * bytes_of_url);
  EXPECT_EQ(working_memory(1, 1'000'000).bytes(), min_working_bytes);
}

TEST(MemoryBudget, NothingAskedForMeansAPartOfTheMachine) {
  EXPECT_EQ(memory_or_default(100 * mebibyte), 100 * mebibyte);
  EXPECT_GT(memory_or_default(0), 100 * mebibyte);
}

}  // namespace
}  // namespace kith::run
