// Bags of both kinds against their twin, maps in memory: parts that are weighted apart, copies that
// share their anchors, URLs that were only seen.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bags/bag_builder.h"
#include "bags/weights.h"
#include "base/random.h"
#include "unit/bags/twin_pages.h"

namespace kith::bags {
namespace {

using namespace twin;

constexpr uint32_t window = 3;

FragmentOptions fragments_of(BagKind kind) {
  FragmentOptions fragments;
  fragments.kind = kind;
  fragments.blocks = kind == BagKind::both;
  fragments.window = window;
  return fragments;
}

BagBuilderOptions both_options(UrlScope urls, unsigned workers, uint64_t memory) {
  BagBuilderOptions options;
  options.fragments = fragments_of(BagKind::both);
  options.urls = urls;
  options.content_share = 0.3;
  options.max_terms = 12;
  options.memory = memory;
  options.expected_bytes = uint64_t{1} << (workers == 1 ? 0 : 26);
  options.workers = workers;
  return options;
}

// Some pages are copies of others: the same words, but other links.
std::vector<TestPage> pages_with_copies(size_t count, uint64_t seed) {
  std::vector<TestPage> pages = make_pages(count, seed);
  Rng rng(seed);
  for (size_t i = 1; i < pages.size(); ++i) {
    if (rng.below(4) != 0) continue;
    const TestPage& from = pages[rng.below(i)];
    pages[i].text.text = from.text.text;
    pages[i].text.title = from.text.title;
    pages[i].text.links.clear();
    pages[i].text.hrefs.clear();
  }
  return pages;
}

bool is_fetched(const std::vector<TestPage>& pages, const std::string& url) {
  return std::ranges::any_of(pages, [&](const TestPage& page) { return page.url == url; });
}

// What links say of a URL.
struct Seen {
  std::set<std::string> hosts;
  std::set<std::string> pages;
};

std::map<std::string, Seen> links_seen(const std::vector<TestPage>& pages) {
  std::map<std::string, Seen> seen;
  for (const TestPage& page : pages) {
    text::Url base;
    EXPECT_TRUE(text::parse_url(page.url, nullptr, base));
    for (const text::HtmlLink& link : page.text.links) {
      text::Url target;
      if (!text::parse_url(page.text.href(link), &base, target)) continue;
      if (target.href == page.url) continue;
      seen[target.href].hosts.insert(std::string(base.host()));
      seen[target.href].pages.insert(page.url);
    }
  }
  return seen;
}

std::set<std::string> urls_with_bags(const std::vector<TestPage>& pages, UrlScope scope) {
  std::set<std::string> urls;
  for (const TestPage& page : pages) urls.insert(page.url);
  if (scope == UrlScope::fetched) return urls;
  for (const auto& [url, seen] : links_seen(pages)) {
    const bool is_enough = seen.hosts.size() >= 2 || seen.pages.size() >= 3;
    if (scope == UrlScope::all || is_enough) urls.insert(url);
  }
  return urls;
}

// What links say of one copy is said of all.
void share_anchors(const std::vector<TestPage>& pages, Counts& anchors) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> copies;
  for (const TestPage& page : pages) {
    if (words_of(page.text.text, nullptr).size() >= min_copied_words) {
      copies[{page.text.title, page.text.text}].push_back(page.url);
    }
  }
  for (const auto& [content, urls] : copies) {
    std::map<std::string, uint32_t> sum;
    for (const std::string& url : urls) {
      for (const auto& [stem, count] : anchors[url]) sum[stem] += count;
    }
    for (const std::string& url : urls) anchors[url] = sum;
  }
}

struct Part {
  Counts counts;
  std::map<std::string, uint64_t> df;
  uint64_t bags = 0;

  explicit Part(Counts of) : counts(std::move(of)) {
    for (const auto& [url, bag] : counts) {
      bags += !bag.empty();
      for (const auto& [stem, count] : bag) ++df[stem];
    }
  }
  bool is_kept(const std::string& stem) const {
    const auto found = df.find(stem);
    return found != df.end() && found->second >= 2;
  }
  // Of the words that are not too frequent, or of those that are.
  std::map<std::string, double> weights(const std::string& url, bool frequent) const {
    std::map<std::string, double> weights;
    const auto bag = counts.find(url);
    if (bag == counts.end()) return weights;
    const uint64_t limit = std::max<uint64_t>(100, bags / 4);
    for (const auto& [stem, count] : bag->second) {
      if (!is_kept(stem) || (df.at(stem) > limit) != frequent) continue;
      weights[stem] = count_factor(Weighting::tf_idf, count) *
                      term_factor(Weighting::tf_idf, df.at(stem), bags);
    }
    return weights;
  }
};

std::map<std::string, double> sum_of(std::map<std::string, double> content,
                                     std::map<std::string, double> anchor, double share) {
  if (content.empty()) return anchor;
  if (anchor.empty()) return content;
  std::map<std::string, double> sum;
  const auto add = [&](const std::map<std::string, double>& part, double of) {
    double total = 0;
    for (const auto& [stem, weight] : part) total += weight;
    for (const auto& [stem, weight] : part) sum[stem] += weight / total * of;
  };
  add(content, share);
  add(anchor, 1 - share);
  return sum;
}

Counts restricted(Counts counts, const std::set<std::string>& urls) {
  std::erase_if(counts, [&](const auto& bag) { return !urls.contains(bag.first); });
  return counts;
}

// The weights as shares of a bag, before they become integers and before any is cut.
std::map<std::string, std::map<std::string, double>> expected_bags(
    const std::vector<TestPage>& pages, UrlScope scope, double share) {
  const std::set<std::string> urls = urls_with_bags(pages, scope);
  Counts anchors = restricted(raw_bags(pages, fragments_of(BagKind::anchor)), urls);
  // A title without a link is no anchor.
  const std::map<std::string, Seen> seen = links_seen(pages);
  for (auto& [url, bag] : anchors) {
    if (!seen.contains(url)) bag.clear();
  }
  share_anchors(pages, anchors);
  const Part content(raw_bags(pages, fragments_of(BagKind::content)));
  const Part anchor(std::move(anchors));
  std::map<std::string, std::map<std::string, double>> bags;
  for (const std::string& url : urls) {
    auto bag = sum_of(content.weights(url, false), anchor.weights(url, false), share);
    if (bag.empty()) bag = sum_of(content.weights(url, true), anchor.weights(url, true), share);
    bags[url] = std::move(bag);
  }
  return bags;
}

// Whether a bag of integers has the largest weights of the expected one, in proportion.
void expect_bag(const std::map<std::string, uint32_t>& bag,
                const std::map<std::string, double>& expected, size_t max_terms) {
  ASSERT_EQ(bag.size(), std::min(max_terms, expected.size()));
  double kept = 0;
  double least = 1e300;
  for (const auto& [stem, weight] : bag) {
    ASSERT_TRUE(expected.contains(stem)) << stem;
    kept += expected.at(stem);
    least = std::min(least, expected.at(stem));
  }
  for (const auto& [stem, weight] : expected) {
    if (!bag.contains(stem)) {
      EXPECT_LE(weight, least * (1 + 1e-9)) << stem;
    }
  }
  for (const auto& [stem, weight] : bag) {
    EXPECT_NEAR(weight, expected.at(stem) / kept * sketch::bag_total,
                16 + static_cast<double>(bag.size()))
        << stem;
  }
}

class BothBagsTwin : public testing::TestWithParam<UrlScope> {};

TEST_P(BothBagsTwin, EqualsMapsInMemory) {
  const std::vector<TestPage> pages = pages_with_copies(120, 17);
  const BagBuilderOptions options = both_options(GetParam(), 1, 64 << 20);
  const Built one = build(pages, options);
  const auto expected = expected_bags(pages, GetParam(), options.content_share);
  ASSERT_EQ(one.weights.size(), expected.size());
  for (const auto& [url, bag] : one.weights) {
    ASSERT_TRUE(expected.contains(url)) << url;
    expect_bag(bag, expected.at(url), options.max_terms);
  }
  EXPECT_GT(one.counts.bags.copies, 20u);
  EXPECT_GT(one.counts.bags.cut_entries, 0u);
  const uint64_t all = urls_with_bags(pages, UrlScope::all).size();
  EXPECT_EQ(one.counts.bags.left_out, all - expected.size());
}

TEST_P(BothBagsTwin, IsTheSameForAnyThreadsAndMemory) {
  const std::vector<TestPage> pages = pages_with_copies(120, 23);
  const Built one = build(pages, both_options(GetParam(), 1, 64 << 20));
  for (const unsigned workers : {2u, 5u}) {
    for (const uint64_t memory : {uint64_t{64} << 20, uint64_t{64} << 10}) {
      const Built other = build(pages, both_options(GetParam(), workers, memory));
      EXPECT_TRUE(other.files == one.files) << workers << " workers, " << memory << " bytes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scopes, BothBagsTwin,
                         testing::Values(UrlScope::seen, UrlScope::fetched, UrlScope::all));

TEST(BothBags, CopiesHaveTheSameBag) {
  const std::vector<TestPage> pages = pages_with_copies(80, 5);
  const Built built = build(pages, both_options(UrlScope::seen, 2, 64 << 20));
  std::map<std::pair<std::string, std::string>, std::set<std::map<std::string, uint32_t>>> bags;
  for (const TestPage& page : pages) {
    if (words_of(page.text.text, nullptr).size() < min_copied_words) continue;
    bags[{page.text.title, page.text.text}].insert(built.weights.at(page.url));
  }
  for (const auto& [content, different] : bags) EXPECT_EQ(different.size(), 1u);
}

// A page keeps all of its bag when nobody links to it, a URL that was never fetched its anchors.
TEST(BothBags, OnePartAloneIsTheWholeBag) {
  const std::vector<TestPage> pages = make_pages(90, 8);
  const Built both = build(pages, both_options(UrlScope::all, 1, 64 << 20));
  bool is_met = false;
  for (const auto& [url, bag] : both.weights) {
    if (is_fetched(pages, url) || bag.empty()) continue;
    uint64_t sum = 0;
    for (const auto& [stem, weight] : bag) sum += weight;
    EXPECT_EQ(sum, sketch::bag_total);
    is_met = true;
  }
  EXPECT_TRUE(is_met);
}

}  // namespace
}  // namespace kith::bags
