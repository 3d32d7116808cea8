#include "bags/merge.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bags/run.h"
#include "bags/tables.h"
#include "support/memory_file_system.h"
#include "text/url/url.h"

namespace kith::bags {
namespace {

constexpr uint32_t merged_terms = 100;

Dictionary dictionary_of_all() {
  Dictionary dictionary;
  for (uint32_t term = 0; term < merged_terms; ++term) {
    dictionary.final_id.push_back(term);
    dictionary.provisional_id.push_back(term);
    dictionary.factors[0].emplace_back(1.0 + term % 7, false);
  }
  return dictionary;
}

std::string nth_url(uint32_t n) {
  return fmt::format("https://example.org/{:06}", n);
}

RawBag nth_bag(uint32_t n) {
  RawBag bag;
  text::surt_of_url(nth_url(n), bag.surt);
  bag.facts = static_cast<uint8_t>(n % 3);
  bag.inlinks = n % 11;
  bag.title = std::string(n % 40, 't');
  for (uint32_t term = n % 13; term < merged_terms; term += 1 + n % 97)
    bag.terms.push_back({term, 1 + n % 5});
  return bag;
}

// Dealt to three runs: a piece of the merge holds records of all.
std::vector<std::string> write_runs(storage::FileSystem& fs, uint32_t bags) {
  std::vector<std::string> paths;
  for (uint32_t run = 0; run < 3; ++run) {
    paths.push_back(fmt::format("run-{}", run));
    auto writer = RunWriter::create(fs, paths.back());
    for (uint32_t n = run; n < bags; n += 3) EXPECT_TRUE(writer->add(nth_bag(n)).is_ok());
    EXPECT_TRUE(writer->finish().is_ok());
  }
  return paths;
}

// Many times what the workers weigh at once.
constexpr uint32_t many_bags = 30'000;

TEST(MergeRuns, TablesHoldEveryBagInOrderForAnyNumberOfThreads) {
  test::MemoryFileSystem fs;
  const std::vector<std::string> runs = write_runs(fs, many_bags);
  const Dictionary dictionary = dictionary_of_all();
  for (const unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    BagsCounts counts;
    const Status merged = merge_runs(fs, runs, "out", dictionary, {}, {}, 0, pool, counts);
    ASSERT_TRUE(merged.is_ok()) << merged.error().message;
    EXPECT_EQ(counts.urls, many_bags);
    const auto urls = UrlTable::open(fs, "out/urls.kith");
    const auto titles = TitleTable::open(fs, "out/titles.kith");
    const auto bags = BagTable::open(fs, "out/bags.kith");
    ASSERT_EQ(urls->size(), many_bags);
    ASSERT_EQ(bags->bags().size(), many_bags);
    EXPECT_EQ(counts.entries, bags->bags().entries().size());
    BagWeigher weigher(dictionary, {});
    for (uint32_t id = 0; id < many_bags; ++id) {
      const RawBag raw = nth_bag(id);
      const sketch::Bag expected = weigher.weigh(raw.terms);
      ASSERT_EQ(urls->url(id), nth_url(id));
      ASSERT_EQ(urls->facts()[id], raw.facts);
      ASSERT_EQ(urls->inlinks()[id], raw.inlinks);
      ASSERT_EQ((*titles)[id], raw.title);
      ASSERT_TRUE(std::ranges::equal(bags->bags()[id], expected)) << id;
    }
  }
}

TEST(MergeRuns, ADamagedRecordAmongManyNamesItsRun) {
  test::MemoryFileSystem fs;
  std::vector<std::string> runs = write_runs(fs, many_bags);
  runs.emplace_back("damaged");
  auto writer = RunWriter::create(fs, runs.back());
  RawBag bag = nth_bag(many_bags / 2);
  bag.surt += "-";
  bag.terms = {{merged_terms, 1}};
  ASSERT_TRUE(writer->add(bag).is_ok());
  ASSERT_TRUE(writer->finish().is_ok());
  ThreadPool pool(2);
  BagsCounts counts;
  const Status merged = merge_runs(fs, runs, "out", dictionary_of_all(), {}, {}, 0, pool, counts);
  ASSERT_FALSE(merged.is_ok());
  EXPECT_EQ(merged.error().kind, ErrorKind::corrupt);
  EXPECT_TRUE(merged.error().message.starts_with("damaged: "));
}

}  // namespace
}  // namespace kith::bags
