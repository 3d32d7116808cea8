#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "bags/collapse.h"
#include "bags/fragment.h"
#include "bags/run.h"
#include "base/random.h"
#include "support/memory_file_system.h"

namespace kith::bags {
namespace {

constexpr uint32_t collapsed_terms = 300;

struct Collapsed {
  std::vector<std::tuple<std::string, bool, uint32_t, std::string>> urls;
  std::vector<std::vector<TermCount>> bags;
  std::vector<uint32_t> document_frequency;
  CollapseCounts counts;
  size_t runs = 0;
};

// What a partition says: of most URLs little, of some very much.
void write_fragments(FragmentWriter& writer, uint32_t urls, uint32_t fragments, uint32_t skew) {
  Rng rng(7);
  const auto random = [&](uint32_t below) { return static_cast<uint32_t>(rng.below(below)); };
  EncodedTerms encoded;
  for (uint32_t i = 0; i < fragments; ++i) {
    const bool is_common = skew > 0 && random(skew) != 0;
    const uint32_t number = is_common ? 0 : random(urls);
    const std::string url =
        "http://h" + std::to_string(number % 17) + ".example/" + std::to_string(number);
    std::vector<uint32_t> words(random(9));
    for (uint32_t& word : words) word = random(collapsed_terms);
    encoded.assign(words);
    const Key128 key = hash128(url);
    ASSERT_TRUE(writer.add_link(key, url, {random(3), random(100)}, encoded.all()).is_ok());
    if (number % 3 == 0 && i % 50 == 0) {
      ASSERT_TRUE(
          writer.add_page(key, url, "title of " + std::to_string(number), byte_of({})).is_ok());
    }
    if (i % 7 == 0) {
      ASSERT_TRUE(writer.add_inlink(hash128("http://none.example/"), "").is_ok());
    }
  }
  ASSERT_TRUE(writer.flush().is_ok());
}

Collapsed collapse(uint64_t memory, uint32_t urls, uint32_t fragments, uint32_t skew,
                   UrlScope scope = UrlScope::all) {
  test::MemoryFileSystem fs;
  FragmentSpool spool(fs, "part-", 1);
  FragmentWriter writer(spool, 1 << 12);
  write_fragments(writer, urls, fragments, skew);
  const AliasMap aliases;
  DocumentFrequencies frequencies(collapsed_terms, Slots());
  const PartitionCollapser collapser(fs, memory, {{scope}, &aliases, &frequencies});
  std::vector<std::string> runs;
  const auto counts = collapser.collapse({{spool.path(0)}, spool.bytes(0), 0}, "run", runs);
  Collapsed result;
  EXPECT_TRUE(counts.is_ok()) << counts.error().message;
  if (!counts.is_ok()) return result;
  EXPECT_FALSE(fs.exists(spool.path(0)));
  result.counts = counts.value();
  result.runs = runs.size();
  for (uint32_t term = 0; term < collapsed_terms; ++term) {
    result.document_frequency.push_back(frequencies.of_all(term));
  }
  const auto merger = RunMerger::open(fs, runs, 1 << 20);
  EXPECT_TRUE(merger.is_ok());
  while (merger.value()->more()) {
    RunRecord record;
    std::vector<TermCount> bag;
    EXPECT_TRUE(read_record(merger.value()->record(), record, bag));
    result.urls.emplace_back(record.surt, record.facts != 0, record.inlinks, record.title);
    result.bags.push_back(bag);
    EXPECT_TRUE(merger.value()->next().is_ok());
  }
  return result;
}

void expect_same(const Collapsed& a, const Collapsed& b) {
  EXPECT_EQ(a.urls, b.urls);
  EXPECT_EQ(a.bags, b.bags);
  EXPECT_EQ(a.document_frequency, b.document_frequency);
  EXPECT_EQ(a.counts.urls, b.counts.urls);
  EXPECT_EQ(a.counts.fetched, b.counts.fetched);
  EXPECT_EQ(a.counts.with_terms, b.counts.with_terms);
  EXPECT_EQ(a.counts.fragments, b.counts.fragments);
  EXPECT_EQ(a.counts.left_out, b.counts.left_out);
}

TEST(PartitionCollapser, SplitsWhatDoesNotFit) {
  const Collapsed whole = collapse(uint64_t{1} << 30, 2000, 20000, 0);
  EXPECT_EQ(whole.runs, 1u);
  EXPECT_EQ(whole.counts.urls, 2000u);
  const Collapsed split = collapse(256 << 10, 2000, 20000, 0);
  EXPECT_GT(split.runs, 8u);
  expect_same(whole, split);
  expect_same(collapse(uint64_t{1} << 30, 2000, 3000, 0, UrlScope::seen),
              collapse(32 << 10, 2000, 3000, 0, UrlScope::seen));
}

TEST(PartitionCollapser, TakesAUrlThatHasMostFragments) {
  const Collapsed whole = collapse(uint64_t{1} << 30, 200, 60000, 50);
  const Collapsed chunks = collapse(256 << 10, 200, 60000, 50);
  expect_same(whole, chunks);
  const Collapsed some = collapse(uint64_t{1} << 30, 3000, 60000, 30, UrlScope::seen);
  EXPECT_GT(some.counts.left_out, 10u);
  expect_same(some, collapse(256 << 10, 3000, 60000, 30, UrlScope::seen));
  uint32_t most = 0;
  for (const auto& url : whole.urls) most = std::max(most, std::get<2>(url));
  EXPECT_GT(most, 50000u);
}

TEST(PartitionCollapser, NamesADamagedPartition) {
  test::MemoryFileSystem fs;
  fs.put("part", std::string(1000, '\x70'));
  const AliasMap aliases;
  DocumentFrequencies frequencies(collapsed_terms, Slots());
  for (const uint64_t memory : {uint64_t{1} << 20, uint64_t{100}}) {
    const PartitionCollapser collapser(fs, memory, {{}, &aliases, &frequencies});
    std::vector<std::string> runs;
    fs.put("part", std::string(1000, '\x70'));
    const auto counts = collapser.collapse({{"part"}, 1000, 0}, "run", runs);
    ASSERT_FALSE(counts.is_ok());
    EXPECT_EQ(counts.error().kind, ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace kith::bags
