#include "base/budget.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/budget_phases.h"
#include "base/parallel/thread_pool.h"

namespace kith {
namespace {

constexpr uint64_t mebibyte = 1 << 20;

// The slow twin of the static_assert: in bytes, of budgets of many sizes.
TEST(Budget, SharesOfAPhaseAddUpToTheWholeAtMost) {
  for (const uint64_t bytes :
       {uint64_t{1}, uint64_t{95}, 64 * mebibyte, uint64_t{12'345'678'901}}) {
    const Budget whole(bytes);
    for (const Phase& phase : phases) {
      uint64_t sum = 0;
      for (const Share share : phase.shares) {
        if (share != Share::none) sum += whole.bytes(share);
      }
      EXPECT_LE(sum, bytes) << phase.name;
    }
  }
}

TEST(Budget, EveryShareHasANameAndAFractionOrIsCounted) {
  for (const ShareRow& row : share_rows) {
    EXPECT_EQ(row.name.empty(), row.share == Share::none);
    EXPECT_LE(row.parts, row.of) << row.name;
    EXPECT_EQ(&row_of(row.share), &row) << row.name;
  }
}

// Stems, words and aliases stay from reading: what later steps have is of what aliases, and numbers
// of stems in the place of stems and words, leave.
TEST(Budget, WhatStaysFromReadingFitsBesideWhatFollows) {
  const uint64_t bytes = 96 * mebibyte;
  const Budget bags(bytes);
  const uint64_t unspooled = bags.bytes(Share::stems) + bags.bytes(Share::words);
  for (uint64_t alias = 0; alias <= bags.bytes(Share::aliases); alias += mebibyte) {
    for (const uint64_t numbers : {uint64_t{0}, bags.bytes(Share::stem_numbers)}) {
      const uint64_t held = numbers == 0 ? unspooled : numbers;
      // As they were read, and what is made of them.
      const Budget fold =
          bags.without(Share::stem_numbers, numbers).without(Share::aliases, 2 * alias);
      EXPECT_LE(held + 2 * alias + fold.bytes(Share::folded_chunks) +
                    std::max(fold.bytes(Share::folded_buffers), fold.bytes(Share::alias_words)),
                bytes);
      const Budget collapse =
          bags.without(Share::stem_numbers, numbers).without(Share::aliases, alias);
      EXPECT_LE(held + alias + collapse.bytes(Share::partitions) + collapse.bytes(Share::contents),
                bytes);
    }
  }
}

TEST(Budget, WithoutALimitEveryShareIsWithoutOne) {
  for (const Budget& budget : {Budget(), Budget(0), Budget().share(Share::stems),
                               Budget().without(Share::items, mebibyte)}) {
    EXPECT_FALSE(budget.is_limited());
    EXPECT_EQ(budget.bytes(), UINT64_MAX);
    EXPECT_TRUE(budget.check(UINT64_MAX, "all").is_ok());
  }
  EXPECT_EQ(Budget().or_else(mebibyte).bytes(), mebibyte);
  EXPECT_EQ(Budget(5).or_else(mebibyte).bytes(), 5u);
  // A share of nothing is still a limit.
  EXPECT_TRUE(Budget(1).share(Share::stems).is_limited());
  EXPECT_EQ(Budget(1).bytes(Share::stems), 0u);
}

TEST(Budget, WhatIsTakenIsGoneAndWhatDoesNotFitIsRefused) {
  Budget budget(10 * mebibyte);
  ASSERT_TRUE(budget.take(Share::kept_signatures, 6 * mebibyte, mebibyte, "signatures").is_ok());
  EXPECT_EQ(budget.bytes(), 4 * mebibyte);
  const Status status = budget.take(Share::items, 4 * mebibyte, mebibyte, "1000 URLs");
  ASSERT_FALSE(status.is_ok());
  EXPECT_EQ(status.error().kind, ErrorKind::usage);
  EXPECT_EQ(status.error().message,
            "10 MiB of memory are too few for 1000 URLs; memory = 11M is the minimum");
  EXPECT_EQ(budget.bytes(), 4 * mebibyte);
}

// The minimum that a message names is enough, and hardly any less is.
TEST(Budget, TheMinimumGivesWhatIsNeeded) {
  const auto inner = [](uint64_t whole) {
    return Budget(whole)
        .without(Share::program, 28 * mebibyte, 16 * mebibyte)
        .share(Share::pair_join)
        .without(Share::items, 12'345)
        .share(Share::set_rows)
        .share(Share::form_numbers);
  };
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{20'000'000}, uint64_t{123'456'789}}) {
    const uint64_t least = inner(1).min_whole(bytes);
    EXPECT_EQ(inner(uint64_t{1} << 40).min_whole(bytes), least);
    EXPECT_TRUE(inner(least).check(bytes, "rows").is_ok());
    EXPECT_FALSE(inner(least - 200).check(bytes, "rows").is_ok());
  }
  EXPECT_EQ(inner(1).min_whole(0), 44 * mebibyte);
}

TEST(Budget, TheLogHasTheMostOfEveryShareByAnyThread) {
  const auto log = std::make_shared<BudgetLog>();
  const Budget whole(80 * mebibyte, log);
  ThreadPool pool(4);
  pool.for_chunks(64, 1, [&](size_t i, size_t, unsigned) {
    const Budget rest = whole.without(Share::items, (i + 1) * mebibyte);
    EXPECT_EQ(rest.bytes(Share::stems), (79 - i) * mebibyte / 4);
  });
  const std::vector<BudgetLog::Entry> entries = log->entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].share, Share::items);
  EXPECT_EQ(entries[0].bytes, 64 * mebibyte);
  EXPECT_EQ(entries[1].share, Share::stems);
  EXPECT_EQ(entries[1].bytes, 79 * mebibyte / 4);
  log->clear();
  EXPECT_TRUE(log->entries().empty());
}

}  // namespace
}  // namespace kith
