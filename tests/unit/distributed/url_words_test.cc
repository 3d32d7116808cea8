// Words of URLs by slices, from the links of several files, and their definition.
#include "distributed/url_words.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "distributed/aliases.h"
#include "distributed/page_file.h"
#include "support/temp_dir.h"

namespace kith::distributed {
namespace {

// By URL how often a stem is said of it.
using WordsByUrl = std::map<std::string, std::map<std::string, uint64_t>>;

constexpr uint32_t window = 2;

ClusterOptions links_of(BagKind bags, bool aliases = false) {
  ClusterOptions options;
  options.bags = bags;
  options.boilerplate = Boilerplate::keep;
  options.language = "en";
  options.aliases = aliases;
  return options;
}

std::unique_ptr<PageFile> open_file(ClusterOptions options, const std::string& path) {
  options.inputs = {path};
  return *PageFile::open(options);
}

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
WordsByUrl words_of_slices(const ClusterOptions& options, const std::vector<std::string>& files,
                           uint32_t slices, Rng& rng) {
  std::vector<std::vector<std::string>> sent(slices);
  for (const std::string& path : files) {
    const auto file = open_file(options, path);
    for (;;) {
      auto found = file->next_fragments(1, 1, slices);
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
    const auto words = *UrlWords::make(options, views);
    std::string last_key;
    for (;;) {
      const auto some = words->next(1 + rng.below(9));
      EXPECT_TRUE(some);
      if (some->urls.size() == 0) break;
      for (size_t i = 0; i < some->urls.size(); ++i) {
        const std::string_view url = some->urls[i];
        const StringList key = url_keys(std::span(&url, 1));
        EXPECT_LT(last_key, key.bytes);
        last_key = key.bytes;
        auto& of_url = said[std::string(url)];
        for (uint64_t at = some->words.offsets[i]; at < some->words.offsets[i + 1]; ++at) {
          const uint64_t entry = some->words.entries[at];
          of_url[std::string(some->words.stems[static_cast<uint32_t>(entry)])] += entry >> 32;
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
  ClusterOptions options = links_of(BagKind::anchor);
  options.window = window;
  options.urls = UrlScope::all;
  const auto slices = 1 + static_cast<uint32_t>(rng.below(5));
  RC_ASSERT(words_of_slices(options, files, slices, rng) == expected);
}

// Two copies, of which only the first is linked to, and a page with the link.
std::string pages_with_copies() {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "castle ";
  std::string lines;
  for (const char* const url : {"http://a.example/1", "http://b.example/2"}) {
    lines += std::string("{\"url\":\"") + url + "\",\"html\":\"<p>" + text + "\"}\n";
  }
  return lines +
         "{\"url\":\"http://c.example/\",\"html\":\"<p>river <a "
         "href='http://a.example/1'>garden</a> wall\"}\n";
}

// What the slices of contents get.
std::vector<std::string> sent_by_content(const ClusterOptions& options, const std::string& path,
                                         uint32_t slices) {
  const auto file = open_file(options, path);
  const auto found = file->next_fragments(100, 1 << 20, 1);
  EXPECT_TRUE(found);
  const std::string_view fragments = found->slices.front();
  const auto said = *UrlWords::make(options, std::span(&fragments, 1));
  auto sent = said->next_by_content(100, slices);
  EXPECT_TRUE(sent);
  for (const std::string& more : *said->next_by_content(100, slices)) EXPECT_TRUE(more.empty());
  return *sent;
}

TEST(UrlWords, OfCopiesShareWhatLinksSay) {
  const test::TempDir dir;
  test::write_file(dir / "x.jsonl", pages_with_copies());
  const ClusterOptions options = links_of(BagKind::both);
  uint64_t copies = 0;
  WordsByUrl content;
  WordsByUrl links;
  for (const std::string& bytes : sent_by_content(options, dir / "x.jsonl", 3)) {
    std::vector<std::string_view> views;
    if (!bytes.empty()) views.push_back(bytes);
    const auto words = *UrlWords::with_copies(options, views);
    copies += words->copies();
    const auto some = words->next(100);
    ASSERT_TRUE(some);
    EXPECT_EQ(some->words.documents.size(), 2 * some->words.stems.size());
    for (size_t i = 0; i < some->urls.size(); ++i) {
      for (uint64_t at = some->words.offsets[i]; at < some->words.offsets[i + 1]; ++at) {
        const auto number = static_cast<uint32_t>(some->words.entries[at]);
        WordsByUrl& part = number % 2 == 0 ? content : links;
        part[std::string(some->urls[i])][std::string(some->words.stems[number / 2])] +=
            some->words.entries[at] >> 32;
      }
    }
  }
  const std::map<std::string, uint64_t> said = {{"garden", 1}, {"river", 1}, {"wall", 1}};
  const std::map<std::string, uint64_t> text = {{"castl", 40}};
  EXPECT_EQ(copies, 2u);
  EXPECT_EQ(links, (WordsByUrl{{"http://a.example/1", said}, {"http://b.example/2", said}}));
  EXPECT_EQ(content, (WordsByUrl{{"http://a.example/1", text},
                                 {"http://b.example/2", text},
                                 {"http://c.example/", said}}));
}

TEST(UrlWords, WithCopiesTellOtherBytesFromTheirOwn) {
  const test::TempDir dir;
  test::write_file(dir / "x.jsonl", pages_with_copies());
  const ClusterOptions options = links_of(BagKind::both);
  const std::string bytes = sent_by_content(options, dir / "x.jsonl", 1).front();
  size_t sound = 0;
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const std::string_view cut = std::string_view(bytes).substr(0, size);
    sound += UrlWords::with_copies(options, std::span(&cut, 1)).is_ok() ? 1 : 0;
  }
  // All of them, and where a URL ends.
  EXPECT_EQ(sound, 4u);
}

std::string html_line(const std::string& url, const std::string& html) {
  return "{\"url\":\"" + url + "\",\"html\":\"" + html + "\"}\n";
}

std::vector<std::string_view> not_empty(const std::vector<std::string>& all) {
  std::vector<std::string_view> views;
  for (const std::string& bytes : all) {
    if (!bytes.empty()) views.push_back(bytes);
  }
  return views;
}

// A page that names another one in its place, a page with links to both, and that other one.
std::string pages_with_an_alias() {
  return html_line("http://a.example/old",
                   "<link rel='canonical' href='/new'><title>castle</title>") +
         html_line("http://b.example/",
                   "<a href='http://a.example/old'>garden</a> wall "
                   "<a href='http://a.example/new'>tower</a>") +
         html_line("http://a.example/new", "<title>market</title>");
}

TEST(UrlAliases, CountForWhatTheyStandFor) {
  constexpr uint32_t slices = 3;
  const test::TempDir dir;
  test::write_file(dir / "x.jsonl", pages_with_an_alias());
  ClusterOptions options = links_of(BagKind::anchor, true);
  options.window = 0;
  options.urls = UrlScope::all;
  const auto file = open_file(options, dir / "x.jsonl");
  const auto found = file->next_fragments(100, 1 << 20, slices);
  ASSERT_TRUE(found);
  EXPECT_EQ(file->aliases().canonical, 1u);
  std::vector<std::string> sound;
  for (const std::string& bytes : found->aliases) {
    const std::string_view view = bytes;
    sound.push_back(*aliases_of_slice(std::span(&view, 1)));
  }
  const auto folded = fold_urls(not_empty(sound), {}, slices);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->report.folded, 1u);
  EXPECT_EQ(folded->report.largest_target, "http://a.example/new");
  std::vector<std::vector<std::string>> arrived(slices);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    arrived[slice].push_back(found->slices[slice]);
    const auto own = not_empty(arrived[slice]);
    const auto said = fold_fragments(own, folded->slices[slice], slices);
    ASSERT_TRUE(said);
    for (uint32_t target = 0; target < slices; ++target) {
      arrived[target].push_back((*said)[target]);
    }
  }
  WordsByUrl words_by_url;
  for (uint32_t slice = 0; slice < slices; ++slice) {
    const auto words = *UrlWords::make(options, not_empty(arrived[slice]), folded->slices[slice]);
    const auto some = words->next(100);
    for (size_t i = 0; i < some->urls.size(); ++i) {
      auto& of_url = words_by_url[std::string(some->urls[i])];
      for (uint64_t at = some->words.offsets[i]; at < some->words.offsets[i + 1]; ++at) {
        const uint64_t entry = some->words.entries[at];
        of_url[std::string(some->words.stems[static_cast<uint32_t>(entry)])] += entry >> 32;
      }
    }
  }
  const WordsByUrl expected = {
      {"http://a.example/new", {{"garden", 1}, {"market", 1}, {"tower", 1}}},
      {"http://b.example/", {}}};
  EXPECT_EQ(words_by_url, expected);
}

// A page that names another one which says something else is not folded once other_aliases() has
// named it.
TEST(UrlAliases, LeavePagesThatSaySomethingElse) {
  const test::TempDir dir;
  test::write_file(
      dir / "x.jsonl",
      html_line("http://a.example/",
                "harvest calendar of the orchard in autumn, cider press and market") +
          html_line("http://a.example/wrong",
                    "<link rel=canonical href=/>copper kettles boil slowly tonight while musicians "
                    "rehearse ballads") +
          html_line("http://a.example/right",
                    "<link rel=canonical href=/>harvest calendar of the orchard in autumn, cider"));
  const auto file = open_file(links_of(BagKind::both, true), dir / "x.jsonl");
  const auto found = file->next_fragments(100, 1 << 20, 1);
  ASSERT_TRUE(found);
  std::vector<std::string> others;
  std::vector<uint64_t> counts;
  for (int turn = 0; turn < 2; ++turn) {
    const auto folded = fold_urls(not_empty(found->aliases), not_empty(others), 1);
    ASSERT_TRUE(folded);
    counts.insert(counts.end(), {folded->report.folded, folded->report.other_text});
    const auto said = fold_fragments(not_empty(found->slices), folded->slices.front(), 1);
    ASSERT_TRUE(said);
    const auto more = other_aliases(not_empty(found->slices), not_empty(*said));
    ASSERT_TRUE(more);
    others.push_back(*more);
  }
  EXPECT_EQ(counts, (std::vector<uint64_t>{2, 0, 1, 1}));
  EXPECT_TRUE(others.back().empty());
}

TEST(UrlAliases, TellOtherBytesFromTheirOwn) {
  const test::TempDir dir;
  test::write_file(dir / "x.jsonl", pages_with_an_alias());
  const ClusterOptions options = links_of(BagKind::anchor, true);
  const auto file = open_file(options, dir / "x.jsonl");
  const auto found = file->next_fragments(100, 1 << 20, 1);
  const std::string_view aliases = found->aliases.front();
  const auto folded = fold_urls(std::span(&aliases, 1), {}, 1);
  ASSERT_TRUE(folded);
  const std::string_view urls = folded->slices.front();
  const std::string_view fragments = found->slices.front();
  const auto is_folded = [&](std::string_view cut) {
    return fold_fragments(std::span(&fragments, 1), cut, 1).is_ok();
  };
  ASSERT_GT(urls.size(), 0u);
  for (size_t size = 1; size < urls.size(); ++size) {
    EXPECT_FALSE(is_folded(urls.substr(0, size))) << size;
    EXPECT_FALSE(UrlWords::make(options, std::span(&fragments, 1), urls.substr(0, size))) << size;
  }
  EXPECT_TRUE(is_folded(urls));
  const std::string_view cut = aliases.substr(0, aliases.size() - 1);
  EXPECT_FALSE(aliases_of_slice(std::span(&cut, 1)));
  EXPECT_FALSE(fold_urls(std::span(&cut, 1), {}, 1));
  const std::string_view no_others = "no others";
  EXPECT_FALSE(fold_urls(std::span(&aliases, 1), std::span(&no_others, 1), 1));
  EXPECT_FALSE(other_aliases(std::span(&cut, 1), std::span(&fragments, 1)));
}

TEST(UrlWords, TellOtherBytesFromTheirOwn) {
  const test::TempDir dir;
  Rng rng(5);
  WordsByUrl said;
  test::write_file(dir / "x.jsonl", make_linked_page(1, rng, said));
  const ClusterOptions options = links_of(BagKind::anchor);
  const auto file = open_file(options, dir / "x.jsonl");
  const auto found = file->next_fragments(1, 1, 1);
  ASSERT_TRUE(found);
  const std::string& bytes = found->slices.front();
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const std::string_view cut = std::string_view(bytes).substr(0, size);
    EXPECT_EQ(UrlWords::make(options, std::span(&cut, 1)).is_ok(), size == bytes.size()) << size;
  }
}

}  // namespace
}  // namespace kith::distributed
