// Words of URLs by slices, from the links of several files, beside their definition.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kith/bag_steps.h"

#include "base/rng.h"
#include "support/temp_dir.h"

namespace kith {
namespace {

// By URL how often a stem is said of it.
using WordsByUrl = std::map<std::string, std::map<std::string, uint64_t>>;

constexpr uint32_t window = 2;

// The words are their own stems.
std::string some_word(Rng& rng) {
  static const char* const words[] = {"garden", "wall", "tower", "river", "market", "harbor"};
  return words[rng.below(6)];
}

std::string linked_url(uint64_t page) {
  return "http://site" + std::to_string(page % 3) + ".example/" + std::to_string(page);
}

// A page of words, of which some are links, and what it says.
std::string make_linked_page(uint64_t number, Rng& rng, WordsByUrl& said) {
  const std::string url = linked_url(number);
  const std::string title = some_word(rng);
  ++said[url][title];
  std::vector<std::string> words;
  std::vector<std::string> targets;
  for (uint64_t i = rng.below(30); i > 0; --i) {
    words.push_back(some_word(rng));
    targets.push_back(rng.below(4) == 0 ? linked_url(number + 1 + rng.below(20)) : "");
  }
  std::string body;
  for (size_t i = 0; i < words.size(); ++i) {
    body += targets[i].empty() ? words[i] : "<a href='" + targets[i] + "'>" + words[i] + "</a>";
    body += ' ';
    if (targets[i].empty()) continue;
    const size_t begin = i - std::min<size_t>(i, window);
    const size_t end = std::min(words.size(), i + 1 + window);
    for (size_t near = begin; near < end; ++near) ++said[targets[i]][words[near]];
  }
  return "{\"url\":\"" + url + "\",\"html\":\"<title>" + title + "</title>" + body + "\"}\n";
}

// What all slices say, and the keys that a slice has out of order.
WordsByUrl words_of_slices(const BagSteps& steps, const std::vector<std::string>& files,
                           uint32_t slices, Rng& rng) {
  std::vector<std::vector<std::string>> sent(slices);
  for (const std::string& path : files) {
    auto file = PageFile::open({.inputs = {path}});
    EXPECT_TRUE(file);
    for (;;) {
      auto found = file->next_fragments(steps, 1, 1, slices);
      EXPECT_TRUE(found);
      if (found->pages == 0) break;
      EXPECT_EQ(found->words.pages(), 0u);
      EXPECT_GT(found->words.forms.size(), 0u);
      for (uint32_t i = 0; i < slices; ++i) {
        const auto at = static_cast<ptrdiff_t>(rng.below(sent[i].size() + 1));
        sent[i].insert(sent[i].begin() + at, found->slices[i]);
      }
    }
  }
  WordsByUrl said;
  for (const auto& arrived : sent) {
    std::vector<std::string_view> views;
    for (const std::string& bytes : arrived) {
      if (!bytes.empty()) views.push_back(bytes);
    }
    auto words = UrlWords::make(steps, views);
    EXPECT_TRUE(words);
    std::string last_key;
    for (;;) {
      const auto some = words->next(1 + rng.below(9));
      EXPECT_TRUE(some);
      if (some->urls.size() == 0) break;
      for (size_t i = 0; i < some->urls.size(); ++i) {
        const std::string_view url = some->urls[i];
        const StringList key = BagSteps::url_keys(std::span(&url, 1));
        EXPECT_LT(last_key, key.bytes);
        last_key = key.bytes;
        auto& of_url = said[std::string(url)];
        for (uint64_t at = some->words.offsets[i]; at < some->words.offsets[i + 1]; ++at) {
          of_url[std::string(some->words.stems[some->words.terms[at]])] += some->words.counts[at];
        }
      }
      for (const uint32_t documents : some->words.documents) EXPECT_GT(documents, 0u);
    }
  }
  return said;
}

RC_GTEST_PROP(UrlWords, AreThoseOfTheDefinition, (uint64_t seed)) {
  Rng rng(seed);
  const test::TempDir dir;
  WordsByUrl expected;
  std::vector<std::string> files;
  const uint64_t count = 1 + rng.below(4);
  for (uint64_t file = 0; file < count; ++file) {
    std::string lines;
    for (uint64_t i = 0; i < 8; ++i) lines += make_linked_page(file + count * i, rng, expected);
    files.push_back(dir / (std::to_string(file) + ".jsonl"));
    test::write_file(files.back(), lines);
  }
  const auto steps = BagSteps::make(
      {.bags = BagKind::anchor, .language = "en", .window = window, .urls = UrlScope::all});
  RC_ASSERT(steps.is_ok());
  const auto slices = 1 + static_cast<uint32_t>(rng.below(5));
  RC_ASSERT(words_of_slices(*steps, files, slices, rng) == expected);
}

TEST(UrlWords, TellOtherBytesFromTheirOwn) {
  const test::TempDir dir;
  Rng rng(5);
  WordsByUrl said;
  test::write_file(dir / "x.jsonl", make_linked_page(1, rng, said));
  const auto steps = BagSteps::make({.bags = BagKind::anchor});
  auto file = PageFile::open({.inputs = {dir / "x.jsonl"}});
  const auto found = file->next_fragments(*steps, 1, 1, 1);
  ASSERT_TRUE(found);
  const std::string& bytes = found->slices.front();
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const std::string_view cut = std::string_view(bytes).substr(0, size);
    EXPECT_EQ(UrlWords::make(*steps, std::span(&cut, 1)).is_ok(), size == bytes.size()) << size;
  }
}

TEST(UrlWords, AreOfNoTexts) {
  const auto steps = BagSteps::make({.bags = BagKind::anchor});
  const std::vector<std::string_view> texts = {"a text"};
  EXPECT_FALSE(steps->words(texts));
  EXPECT_FALSE(BagSteps::make({.bags = BagKind::both}));
  EXPECT_FALSE(BagSteps::make({.bags = BagKind::anchor, .window = 1001}));
}

}  // namespace
}  // namespace kith
