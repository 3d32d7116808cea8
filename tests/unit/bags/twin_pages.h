// Pages to make bags of, and the bags of the definition: maps in memory.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bags/bag_builder.h"
#include "bags/tables.h"
#include "bags/weights.h"
#include "base/random.h"
#include "support/temp_dir.h"
#include "text/words/terms.h"

namespace kith::bags::twin {

struct TestPage {
  std::string url;
  text::HtmlText text;
};

// Pages of made-up words with links among themselves and to pages that were never fetched.
inline std::vector<TestPage> make_pages(size_t count, uint64_t seed) {
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

inline std::vector<std::string> words_of(const std::string& text, std::vector<uint32_t>* offsets) {
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

inline void count_word(const std::string& word, std::map<std::string, uint32_t>& counts) {
  static text::Stemmer stemmer;
  if (text::is_stop_word(text::Language::english, word)) return;
  ++counts[std::string(stemmer.stem(text::Language::english, word))];
}

using Folded = std::map<std::string, std::string>;  // alias -> target

inline std::string target_of(const Folded& folded, const std::string& url) {
  const auto found = folded.find(url);
  return found == folded.end() ? url : found->second;
}

// Whether the page's own words count: they do not when its target, or an alias of it with a
// lower key, was fetched.
inline bool speaks_for_its_target(const std::vector<TestPage>& pages, const Folded& folded,
                                  const std::string& url) {
  const std::string target = target_of(folded, url);
  if (target == url) return true;
  return std::ranges::none_of(pages, [&](const TestPage& other) {
    if (other.url == target) return true;
    return target_of(folded, other.url) == target && hash128(other.url) < hash128(url);
  });
}

// The definition, word by word.
inline Counts raw_bags(const std::vector<TestPage>& pages, const FragmentOptions& options,
                       const Folded& folded = {}) {
  Counts bags;
  std::map<std::string, uint32_t> unheard;
  for (const TestPage& page : pages) {
    auto& own = speaks_for_its_target(pages, folded, page.url) ? bags[target_of(folded, page.url)]
                                                               : unheard;
    for (int i = 0; i < (options.kind == BagKind::content ? 5 : 1); ++i) {
      for (const std::string& word : words_of(page.text.title, nullptr)) count_word(word, own);
    }
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
inline Built build(const std::vector<TestPage>& pages, const BagBuilderOptions& options,
                   const Folded& redirects = {}) {
  const test::TempDir dir;
  storage::FileSystem& fs = storage::posix_file_system();
  EXPECT_TRUE(fs.make_directories(dir / "tmp").is_ok());
  EXPECT_TRUE(fs.make_directories(dir / "run").is_ok());
  const unsigned workers = options.workers;
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
      EXPECT_TRUE(builder->worker(worker).add(url, pages[i].text, "", no_time).is_ok());
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
    for (const sketch::BagEntry& entry : bags->bags()[id]) {
      bag[std::string(terms->stem(entry.term))] = entry.weight;
    }
  });
  return built;
}

inline Built build(const std::vector<TestPage>& pages, const FragmentOptions& fragments,
                   uint64_t expected_bytes, unsigned workers, const Folded& redirects = {},
                   uint64_t memory = 64 << 20) {
  BagBuilderOptions options;
  options.fragments = fragments;
  options.memory = memory;
  options.expected_bytes = expected_bytes;
  options.workers = workers;
  return build(pages, options, redirects);
}

// From raw counts to integer weights by the definition.
inline Counts weigh(const Counts& raw) {
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
    std::vector<sketch::BagEntry> bag;
    normalise(weights, 0, bag);
    for (const sketch::BagEntry& entry : bag)
      weighted[url][order[entry.term].second] = entry.weight;
    weighted[url];
  }
  return weighted;
}

}  // namespace kith::bags::twin
