// The external path against its twin: the same pages through maps in memory.
#include "bags/bag_builder.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "unit/bags/twin_pages.h"

namespace kith::bags {
namespace {

using namespace twin;

class BagBuilderTwin : public testing::TestWithParam<FragmentOptions> {};

TEST_P(BagBuilderTwin, ExternalPartitionsEqualMapsInMemory) {
  const std::vector<TestPage> pages = make_pages(90, 5);
  const Counts expected = weigh(raw_bags(pages, GetParam()));
  const Built one = build(pages, GetParam(), 1, 1);
  EXPECT_EQ(one.counts.bags.partitions, 1u);
  // Not EXPECT_EQ: what it would print is longer than anyone reads.
  EXPECT_TRUE(one.weights == expected);
  for (const unsigned workers : {2u, 5u}) {
    const Built many = build(pages, GetParam(), 1 << 28, workers);
    EXPECT_GT(many.counts.bags.partitions, 16u);
    EXPECT_TRUE(many.files == one.files) << "with " << workers << " workers";
    // In partitions that have to be split.
    const Built split = build(pages, GetParam(), 1 << 28, workers, {}, 64 << 10);
    EXPECT_LE(split.counts.bags.partitions, 2u);
    EXPECT_TRUE(split.files == one.files) << "with " << workers << " workers";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BagBuilderTwin,
    testing::Values(FragmentOptions{{BagKind::anchor, LinkScope::all, false}, 8},
                    FragmentOptions{{BagKind::anchor, LinkScope::all, false}, 0},
                    FragmentOptions{{BagKind::anchor, LinkScope::external, false}, 3},
                    FragmentOptions{{BagKind::content, LinkScope::all, false}, 8},
                    FragmentOptions{{BagKind::content, LinkScope::all, true}, 8}));

TEST(BagBuilder, LinkedButNeverFetchedUrlsHaveAnchorBags) {
  const std::vector<TestPage> pages = make_pages(60, 9);
  const Built anchor = build(pages, {}, 1, 1);
  EXPECT_GT(anchor.counts.bags.urls, pages.size());
  EXPECT_EQ(anchor.counts.collapsed.fetched, pages.size());
  EXPECT_GT(anchor.counts.fragments.bad_links, 0u);
  const Built content = build(pages, {{BagKind::content, LinkScope::all, true}, 8}, 1, 1);
  EXPECT_EQ(content.counts.bags.urls, pages.size());
}

std::string page_url(size_t i) {
  return "https://host" + std::to_string(i % 5) + ".example/page/" + std::to_string(i);
}

std::set<std::string> word_set(const TestPage& page) {
  std::map<std::string, uint32_t> counts;
  for (const std::string& text : {page.text.title, page.text.text}) {
    for (const std::string& word : words_of(text, nullptr)) count_word(word, counts);
  }
  std::set<std::string> words;
  for (const auto& [word, count] : counts) words.insert(word);
  return words;
}

bool says_the_same_in_sets(const std::set<std::string>& page, const std::set<std::string>& target) {
  if (page.size() < 5) return true;
  const auto shared =
      std::ranges::count_if(page, [&](const std::string& word) { return target.contains(word); });
  const size_t smaller = std::min(page.size(), target.size());
  return target.size() >= 5 && 2 * static_cast<size_t>(shared) >= smaller;
}

// A twin of the folding: where every alias ends, of those that say what their target says.
Folded fold_alike(const std::vector<TestPage>& pages, Folded names) {
  std::map<std::string, std::set<std::string>> words;
  for (const TestPage& page : pages) words[page.url] = word_set(page);
  for (;;) {
    Folded ends;
    std::map<std::string, std::string> first;  // of the pages that stand for a target
    for (const auto& [from, to] : names) {
      std::string end = to;
      while (names.contains(end)) end = names[end];
      ends[from] = end;
      if (!words.contains(from)) continue;
      std::string& least = first.try_emplace(end, from).first->second;
      if (hash128(from) < hash128(least)) least = from;
    }
    std::vector<std::string> others;
    for (const auto& [from, end] : ends) {
      if (!words.contains(from)) continue;
      const std::string& stands = words.contains(end) ? end : first[end];
      if (stands != from && !says_the_same_in_sets(words[from], words[stands])) {
        others.push_back(from);
      }
    }
    if (others.empty()) return ends;
    for (const std::string& other : others) names.erase(other);
  }
}

// Pages that name a canonical URL, fetched or not, some of them copies of that, and redirects of
// URLs that were never fetched: a twin of the folding, in one map.
TEST(BagBuilder, AliasesAreFoldedIntoTheirTargets) {
  std::vector<TestPage> pages = make_pages(60, 21);
  Folded named;
  for (size_t i = 1; i < pages.size(); i += 4) {
    const std::string target = page_url(i % 8 == 1 ? i + 1 : 60 + i / 16);
    if (i % 16 == 1) pages[i].text = pages[i + 1].text;
    if (i % 16 == 13) pages[i].text = pages[i - 8].text;
    pages[i].text.canonical = target;
    named[pages[i].url] = target;
  }
  Folded redirects;
  for (size_t i = 70; i < 120; i += 3) redirects[page_url(i)] = page_url(i % 2 == 0 ? i - 69 : 0);
  named.insert(redirects.begin(), redirects.end());
  redirects[page_url(2)] = page_url(0);  // was fetched: not folded

  FragmentOptions options;
  for (const BagKind kind : {BagKind::anchor, BagKind::content}) {
    options.kind = kind;
    options.keep_aliases = true;
    // Bags of anchors have no text of pages to compare.
    const Folded folded =
        fold_alike(kind == BagKind::anchor ? std::vector<TestPage>() : pages, named);
    const Built one = build(pages, options, 1, 1, redirects);
    const Counts expected = weigh(raw_bags(pages, options, folded));
    EXPECT_EQ(one.weights.size(), expected.size());
    EXPECT_TRUE(one.weights == expected);
    EXPECT_EQ(one.counts.aliases.folded, folded.size());
    EXPECT_EQ(one.counts.fragments.aliases[static_cast<size_t>(AliasKind::canonical)], 15u);
    EXPECT_EQ(one.counts.fragments.aliases[static_cast<size_t>(AliasKind::redirect)], 18u);
    const Built many = build(pages, options, 1 << 22, 3, redirects);
    EXPECT_TRUE(many.files == one.files);
    const Built in_256_partitions = build(pages, options, 0, 2, redirects);  // few have an alias
    EXPECT_EQ(in_256_partitions.counts.bags.partitions, 256u);
    EXPECT_TRUE(in_256_partitions.files == one.files);

    options.keep_aliases = false;
    const Built plain = build(pages, options, 1, 1, redirects);
    EXPECT_TRUE(plain.weights == weigh(raw_bags(pages, options)));
    EXPECT_EQ(plain.counts.aliases.folded, 0u);
    EXPECT_EQ(plain.counts.fragments.aliases[static_cast<size_t>(AliasKind::canonical)], 15u);
  }
}

TEST(BagBuilder, NoPagesGiveEmptyFiles) {
  const Built built = build({}, {}, 0, 2);
  EXPECT_EQ(built.counts.bags.urls, 0u);
  EXPECT_EQ(built.counts.bags.partitions, 256u);
  EXPECT_TRUE(built.weights.empty());
}

// A crawl of equal pages has bags, and they are equal.
TEST(BagBuilder, EqualPagesKeepTheirWords) {
  std::vector<TestPage> pages = make_pages(1, 3);
  pages[0].text.text = "apple banana cherry";
  pages[0].text.links.clear();
  for (int i = 1; i < 500; ++i) {
    pages.push_back(pages[0]);
    pages.back().url += std::to_string(i);
  }
  const Built built = build(pages, {{BagKind::content, LinkScope::all, false}, 8}, 1, 2);
  std::set<std::map<std::string, uint32_t>> distinct;
  for (const auto& [url, bag] : built.weights) distinct.insert(bag);
  ASSERT_EQ(distinct.size(), 1u);
  EXPECT_GE(distinct.begin()->size(), 3u);
  EXPECT_EQ(built.counts.bags.rescued, 500u);
}

// Wherever the disk fills up, the stage ends with the error and no file under a final name is
// half-written.
TEST(BagBuilder, AFullDiskIsAnErrorAndLeavesNoHalfFile) {
  const std::vector<TestPage> pages = make_pages(30, 4);
  uint64_t failures = 0;
  for (uint64_t capacity = 0; capacity < 60'000; capacity += 1'499) {
    const test::TempDir dir;
    test::FullDisk fs(capacity);
    ASSERT_TRUE(fs.make_directories(dir / "tmp").is_ok());
    BagBuilderOptions options;
    options.expected_bytes = 1;
    auto builder = BagBuilder::create(fs, dir / "tmp", options);
    ASSERT_TRUE(builder.is_ok());
    Status status;
    for (const TestPage& page : pages) {
      text::Url url;
      ASSERT_TRUE(text::parse_url(page.url, nullptr, url));
      status = builder->worker(0).add(url, page.text, "", no_time);
      if (!status) break;
    }
    if (status) {
      ThreadPool pool(1);
      status = builder->finish(pool, dir.path(), [](double) {}).status();
    }
    if (!status) {
      ++failures;
      EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
    }
    for (const char* const name : {"urls", "titles", "terms", "bags"}) {
      const std::string path = dir / (std::string(name) + ".kith");
      if (!fs.exists(path)) continue;
      const storage::FileKind kinds[] = {urls_kind, titles_kind, terms_kind, bags_kind};
      const bool whole = std::ranges::any_of(kinds, [&](const storage::FileKind& kind) {
        const auto file = storage::SectionFile::open(fs, path, kind);
        return file.is_ok() && file->verify().is_ok();
      });
      EXPECT_TRUE(whole) << name << " at capacity " << capacity;
    }
  }
  EXPECT_GT(failures, 5u);
  EXPECT_LT(failures, 41u);
}

TEST(ChoosePartitions, FollowsTheBudget) {
  EXPECT_EQ(choose_partitions(0, 1 << 30, 2), 256u);
  EXPECT_EQ(choose_partitions(1000, uint64_t{1} << 30, 1), 1u);
  EXPECT_EQ(choose_partitions(uint64_t{1} << 40, uint64_t{1} << 30, 2), 4096u);
  // The buffers of all partitions have room.
  EXPECT_EQ(choose_partitions(uint64_t{1} << 40, 1 << 20, 2), 16u);
  EXPECT_EQ(choose_partitions(0, 1 << 20, 2), 16u);
  EXPECT_GE(choose_partitions(uint64_t{8} << 30, uint64_t{1} << 30, 2), 64u);
}

}  // namespace
}  // namespace kith::bags
