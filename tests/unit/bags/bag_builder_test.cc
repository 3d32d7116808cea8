// The external path against its twin: the same pages through maps in memory.
#include "bags/bag_builder.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "bags/tables.h"
#include "bags/weights.h"
#include "base/rng.h"
#include "support/faulty_file_system.h"
#include "support/temp_dir.h"
#include "text/words/terms.h"

namespace kith::bags {
namespace {

struct TestPage {
  std::string url;
  text::HtmlText text;
};

// Pages of made-up words with links among themselves and to pages that were never fetched.
std::vector<TestPage> make_pages(size_t count, uint64_t seed) {
  Rng rng(seed);
  std::vector<TestPage> pages(count);
  for (size_t i = 0; i < count; ++i) {
    TestPage& page = pages[i];
    page.url = "https://host" + std::to_string(i % 5) + ".example/page/" + std::to_string(i);
    page.text.title = "title of kumquat" + std::string(1 + i % 3, 'q');
    page.text.language = "en";
    const size_t words = rng.below(60);
    for (size_t w = 0; w < words; ++w) {
      std::string word = "zorb";
      for (uint64_t letters = 1 + rng.below(3); letters > 0; --letters) {
        word += static_cast<char>('a' + rng.below(6));
      }
      const auto begin = static_cast<uint32_t>(page.text.text.size());
      page.text.text += word;
      if (rng.below(6) == 0) {
        const uint64_t target = rng.below(count * 2);
        std::string href = "https://host" + std::to_string(target % 5) + ".example/page/" +
                           std::to_string(target) + "#part";
        if (rng.below(9) == 0) href = "mailto:someone@example.org";
        const auto at = static_cast<uint32_t>(page.text.hrefs.size());
        page.text.hrefs += href;
        page.text.links.push_back({begin, static_cast<uint32_t>(page.text.text.size()), at,
                                   static_cast<uint32_t>(page.text.hrefs.size())});
      }
      page.text.text += ' ';
    }
  }
  return pages;
}

using Counts = std::map<std::string, std::map<std::string, uint32_t>>;  // url -> stem -> count

std::vector<std::string> words_of(const std::string& text, std::vector<uint32_t>* offsets) {
  std::vector<std::string> words;
  text::WordSplitter splitter;
  splitter.reset(text);
  std::string_view word;
  uint32_t offset = 0;
  while (splitter.next(word, offset)) {
    words.emplace_back(word);
    if (offsets != nullptr) offsets->push_back(offset);
  }
  return words;
}

void count_word(const std::string& word, std::map<std::string, uint32_t>& counts) {
  static text::Stemmer stemmer;
  if (text::is_stop_word(text::Language::english, word)) return;
  ++counts[std::string(stemmer.stem(text::Language::english, word))];
}

using Folded = std::map<std::string, std::string>;  // alias -> target

std::string target_of(const Folded& folded, const std::string& url) {
  const auto found = folded.find(url);
  return found == folded.end() ? url : found->second;
}

// Whether the page's own words count: they do not when its target, or an alias of it with a
// lower key, was fetched.
bool speaks_for_its_target(const std::vector<TestPage>& pages, const Folded& folded,
                           const std::string& url) {
  const std::string target = target_of(folded, url);
  if (target == url) return true;
  return std::ranges::none_of(pages, [&](const TestPage& other) {
    if (other.url == target) return true;
    return target_of(folded, other.url) == target && hash128(other.url) < hash128(url);
  });
}

// The definition, word by word.
Counts raw_bags(const std::vector<TestPage>& pages, const FragmentOptions& options,
                const Folded& folded = {}) {
  Counts bags;
  std::map<std::string, uint32_t> unheard;
  for (const TestPage& page : pages) {
    auto& own = speaks_for_its_target(pages, folded, page.url) ? bags[target_of(folded, page.url)]
                                                               : unheard;
    for (const std::string& word : words_of(page.text.title, nullptr)) count_word(word, own);
    std::vector<uint32_t> offsets;
    const std::vector<std::string> words = words_of(page.text.text, &offsets);
    if (options.kind == BagKind::content) {
      for (const std::string& word : words) count_word(word, own);
      continue;
    }
    text::Url base;
    EXPECT_TRUE(text::parse_url(page.url, nullptr, base));
    for (const text::HtmlLink& link : page.text.links) {
      text::Url target;
      if (!text::parse_url(page.text.href(link), &base, target)) continue;
      if (target.href == page.url) continue;
      if (options.links == LinkScope::external && target.host() == base.host()) continue;
      auto& bag = bags[target_of(folded, target.href)];
      const auto inside = [&](size_t i) {
        return offsets[i] >= link.text_begin && offsets[i] < link.text_end;
      };
      for (size_t i = 0; i < words.size(); ++i) {
        bool near = inside(i);
        for (size_t d = 1; d <= options.window && !near; ++d) {
          near = (i >= d && inside(i - d)) || (i + d < words.size() && inside(i + d));
        }
        if (near) count_word(words[i], bag);
      }
    }
  }
  return bags;
}

struct Built {
  std::map<std::string, std::string> files;
  Counts weights;  // url -> stem -> integer weight
  BagCounts counts;
};

// `redirects` are met before the pages.
Built build(const std::vector<TestPage>& pages, const FragmentOptions& fragments,
            uint64_t expected_bytes, unsigned workers, const Folded& redirects = {},
            uint64_t memory = 64 << 20) {
  const test::TempDir dir;
  storage::FileSystem& fs = storage::posix_file_system();
  EXPECT_TRUE(fs.make_directories(dir / "tmp").is_ok());
  EXPECT_TRUE(fs.make_directories(dir / "run").is_ok());
  BagBuilderOptions options;
  options.fragments = fragments;
  options.memory = memory;
  options.expected_bytes = expected_bytes;
  options.workers = workers;
  auto builder = BagBuilder::create(fs, dir / "tmp", options);
  EXPECT_TRUE(builder.is_ok());
  for (const auto& [from, to] : redirects) {
    text::Url url;
    EXPECT_TRUE(text::parse_url(from, nullptr, url));
    const auto worker = static_cast<unsigned>(hash64(from) % workers);
    EXPECT_TRUE(builder->worker(worker).add_redirect(url, to).is_ok());
  }
  ThreadPool pool(workers);
  pool.for_chunks(pages.size(), 3, [&](size_t begin, size_t end, unsigned worker) {
    for (size_t i = begin; i < end; ++i) {
      text::Url url;
      EXPECT_TRUE(text::parse_url(pages[i].url, nullptr, url));
      EXPECT_TRUE(builder->worker(worker).add(url, pages[i].text, "").is_ok());
    }
  });
  Built built;
  auto counts = builder->finish(pool, dir / "run", [](double) {});
  EXPECT_TRUE(counts.is_ok()) << (counts ? "" : counts.error().message);
  built.counts = *counts;
  for (const char* const name : {"urls", "titles", "terms", "bags"}) {
    built.files[name] = test::read_file(dir / "run" + "/" + name + ".kith");
  }
  const auto urls = UrlTable::open(fs, dir / "run/urls.kith");
  const auto terms = TermTable::open(fs, dir / "run/terms.kith");
  const auto bags = BagTable::open(fs, dir / "run/bags.kith");
  EXPECT_TRUE(urls->verify().is_ok() && terms->verify().is_ok() && bags->verify().is_ok());
  urls->for_each([&](uint32_t id, std::string_view url) {
    EXPECT_EQ(urls->find(url), id);
    auto& bag = built.weights[std::string(url)];
    for (const BagEntry& entry : bags->bags()[id]) {
      bag[std::string(terms->stem(entry.term))] = entry.weight;
    }
  });
  return built;
}

// From raw counts to integer weights by the definition.
Counts weigh(const Counts& raw) {
  std::map<std::string, uint64_t> df;
  uint64_t n = 0;
  for (const auto& [url, counts] : raw) {
    n += !counts.empty();
    for (const auto& [stem, count] : counts) ++df[stem];
  }
  std::vector<std::pair<int64_t, std::string>> order;  // of final ids
  for (const auto& [stem, frequency] : df) {
    if (frequency >= 2) order.emplace_back(-static_cast<int64_t>(frequency), stem);
  }
  std::ranges::sort(order);
  const uint64_t limit = std::max<uint64_t>(100, n / 4);
  Counts weighted;
  for (const auto& [url, counts] : raw) {
    std::vector<RealWeight> weights;
    std::vector<RealWeight> too_frequent;
    for (uint32_t id = 0; id < order.size(); ++id) {
      const auto found = counts.find(order[id].second);
      if (found == counts.end()) continue;
      const uint64_t frequency = df[found->first];
      (frequency > limit ? too_frequent : weights)
          .push_back({id, count_factor(Weighting::tf_idf, found->second) *
                              term_factor(Weighting::tf_idf, frequency, n)});
    }
    if (weights.empty()) weights = too_frequent;
    std::vector<BagEntry> bag;
    normalise(weights, bag);
    for (const BagEntry& entry : bag) weighted[url][order[entry.term].second] = entry.weight;
    weighted[url];
  }
  return weighted;
}

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

// Pages that name a canonical URL, fetched or not, and redirects of URLs that were never fetched:
// a twin of the folding, in one map.
TEST(BagBuilder, AliasesAreFoldedIntoTheirTargets) {
  std::vector<TestPage> pages = make_pages(60, 21);
  Folded folded;
  for (size_t i = 1; i < pages.size(); i += 4) {
    const std::string target = page_url(i % 8 == 1 ? i + 1 : 60 + i / 16);
    pages[i].text.canonical = target;
    folded[pages[i].url] = target;
  }
  Folded redirects;
  for (size_t i = 70; i < 120; i += 3) redirects[page_url(i)] = page_url(i % 2 == 0 ? i - 69 : 0);
  for (const auto& [from, to] : redirects) folded[from] = target_of(folded, to);
  redirects[page_url(2)] = page_url(0);  // was fetched: not folded

  FragmentOptions options;
  for (const BagKind kind : {BagKind::anchor, BagKind::content}) {
    options.kind = kind;
    options.keep_aliases = true;
    const Built one = build(pages, options, 1, 1, redirects);
    const Counts expected = weigh(raw_bags(pages, options, folded));
    EXPECT_EQ(one.weights.size(), expected.size());
    EXPECT_TRUE(one.weights == expected);
    EXPECT_EQ(one.counts.aliases.folded, folded.size());
    EXPECT_EQ(one.counts.fragments.aliases[static_cast<size_t>(AliasKind::canonical)], 15u);
    EXPECT_EQ(one.counts.fragments.aliases[static_cast<size_t>(AliasKind::redirect)], 18u);
    const Built many = build(pages, options, 1 << 22, 3, redirects);
    EXPECT_TRUE(many.files == one.files);

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
      status = builder->worker(0).add(url, page.text, "");
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
