// What fuzz/kith_file and fuzz/temporaries look for, case by case: files that are sound as
// containers and hold what no run can hold.
#include <optional>

#include <gtest/gtest.h>

#include "bags/merge.h"
#include "bags/run.h"
#include "bags/tables.h"
#include "support/memory_file_system.h"

namespace kith::bags {
namespace {

Status check(const std::vector<sketch::BagEntry>& entries, uint32_t terms) {
  test::MemoryFileSystem fs;
  auto writer = storage::SectionWriter::create(fs, "bags.kith", bags_kind);
  const std::vector<uint64_t> offsets{0, entries.size()};
  KITH_TRY(writer->begin("entries"));
  KITH_TRY(writer->append_array(std::span<const sketch::BagEntry>(entries)));
  KITH_TRY(writer->begin("entries_at"));
  KITH_TRY(writer->append_array(std::span<const uint64_t>(offsets)));
  KITH_TRY(writer->finish());
  KITH_ASSIGN(const auto table, BagTable::open(fs, "bags.kith"));
  ThreadPool pool(2);
  return table.check_entries(terms, pool);
}

TEST(BagTable, EntriesThatAreNoBagAreFound) {
  const uint32_t half = sketch::bag_total / 2;
  EXPECT_TRUE(check({}, 0).is_ok());
  EXPECT_TRUE(check({{3, half}, {7, half}}, 8).is_ok());
  EXPECT_TRUE(check({{UINT32_MAX - 1, sketch::bag_total}}, UINT32_MAX).is_ok());
  const std::vector<std::vector<sketch::BagEntry>> damaged{
      {{3, half}, {8, half}},                                   // an unknown term
      {{7, half}, {3, half}},                                   // not ascending
      {{3, half}, {3, half}},                                   // a term twice
      {{3, half}, {7, half + 1}},                               // too heavy
      {{3, half}},                                              // too light
      {{3, 0}, {7, sketch::bag_total}},                         // a term without weight
      {{1, 1u << 31}, {2, 1u << 31}, {3, sketch::bag_total}}};  // right only in 32 bits
  for (const auto& entries : damaged) {
    const Status status = check(entries, 8);
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
    EXPECT_TRUE(status.error().message.starts_with("bags.kith: "));
  }
}

// Three stems, all in the dictionary.
const TermFactor factor_one(1.0, false);
const Dictionary three_stems{
    Slots(), {0, 1, 2}, {0, 1, 2}, {{{factor_one, factor_one, factor_one}}}, 0, 0};

RawBag raw(std::string surt, std::vector<TermCount> terms) {
  return {std::move(surt), true, 0, 0, no_time, "", std::move(terms)};
}

Result<BagsCounts> merge(const std::vector<std::vector<RawBag>>& runs) {
  test::MemoryFileSystem fs;
  std::vector<std::string> paths;
  for (const std::vector<RawBag>& bags : runs) {
    paths.push_back("run-" + std::to_string(paths.size()));
    KITH_ASSIGN(RunWriter writer, RunWriter::create(fs, paths.back()));
    for (const RawBag& bag : bags) KITH_TRY(writer.add(bag));
    KITH_TRY(writer.finish());
  }
  ThreadPool pool(2);
  BagsCounts counts;
  KITH_TRY(merge_runs(fs, paths, "out", three_stems, {Weighting::tf}, {}, 0, pool, counts));
  return counts;
}

TEST(MergeRuns, RunsThatCannotBeOfThisRunAreRefused) {
  EXPECT_EQ(merge({{raw("a", {{0, 1}, {2, 1}})}, {raw("b", {})}})->urls, 2u);
  const std::vector<std::vector<std::vector<RawBag>>> damaged{
      {{raw("a", {{3, 1}})}},                              // a term beyond the dictionary
      {{raw("a", {{1, 0}})}},                              // a term that does not occur
      {{raw("a", {{1, 1}, {1, 1}})}},                      // a term twice
      {{raw("a", {{2, 1}, {1, 1}})}},                      // not ascending
      {{raw("a", {}), raw("b", {{3, 1}}), raw("c", {})}},  // one of several
      {{raw("b", {}), raw("a", {})}},                      // URLs not ascending
      {{raw("a", {})}, {raw("a", {})}}};                   // a URL in two runs
  for (const auto& runs : damaged) {
    const auto counts = merge(runs);
    ASSERT_FALSE(counts.is_ok());
    EXPECT_EQ(counts.error().kind, ErrorKind::corrupt);
    EXPECT_TRUE(counts.error().message.starts_with("run-"));
  }
}

}  // namespace
}  // namespace kith::bags
