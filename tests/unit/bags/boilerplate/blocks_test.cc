// Blocks of pages, and what is left of a page without its boilerplate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bags/boilerplate/templates.h"
#include "bags/page_digest.h"
#include "bags/page_fragments.h"
#include "support/memory_file_system.h"
#include "text/html/html.h"

namespace kith::bags {
namespace {

struct Digests {
  Vocabulary vocabulary;
  TermReader terms{vocabulary};
  PageDigester digester{{.blocks = true}, terms};

  PageDigest read(const std::string& html, const std::string& address = "https://a.example/x/y") {
    text::Url url;
    text::parse_url(address, nullptr, url);
    text::HtmlText page;
    text::extract_html(html, page);
    PageDigest digest = digester.read(url, page, "", no_time);
    digest.url = {};
    return digest;
  }
};

std::vector<uint64_t> hashes(const PageDigest& digest) {
  std::vector<uint64_t> hashes;
  for (const Block& block : digest.blocks) hashes.push_back(block.hash);
  return hashes;
}

std::vector<uint32_t> begins(const PageDigest& digest) {
  std::vector<uint32_t> begins;
  for (const Block& block : digest.blocks) begins.push_back(block.begin);
  return begins;
}

TEST(Blocks, LieBetweenBlockElements) {
  Digests digests;
  const PageDigest page = digests.read(
      "<body>one two<p>three <b>four</b> <span>five</span><br>six<div><div></div>seven</div>"
      "eight<table><tr><td>nine<td>ten</table>");
  EXPECT_THAT(begins(page), testing::ElementsAre(0, 2, 6, 7, 8, 9));
}

TEST(Blocks, OfAPageWithoutWordsAreNone) {
  Digests digests;
  EXPECT_TRUE(digests.read("<p> <p> 1234 <p>").blocks.empty());
}

TEST(Blocks, AreEqualWhereTheirWordsAre) {
  Digests digests;
  const auto of = [&](const std::string& html) { return hashes(digests.read(html)); };
  const auto menu = of("<ul><li>The Search</li></ul>");
  ASSERT_EQ(menu.size(), 1u);
  EXPECT_EQ(of("<p>first<div>the  search!</div>other")[1], menu[0]);
  EXPECT_NE(of("<p>search the")[0], menu[0]);
  EXPECT_NE(of("<p>the searches")[0], menu[0]);  // before stems
  EXPECT_NE(of("<p>search")[0], menu[0]);        // and stop words
  EXPECT_NE(of("<p>the search search")[0], menu[0]);
  EXPECT_NE(of("<p>thes earch")[0], menu[0]);
}

TEST(Blocks, WithLongWordsDiffer) {
  Digests digests;
  const std::string start = "<p>the donaudampfschifffahrtsgesellschaft";
  EXPECT_EQ(hashes(digests.read(start)), hashes(digests.read(start)));
  EXPECT_NE(hashes(digests.read(start)), hashes(digests.read(start + "en")));
}

// The value stands in the files of shards: it may never change.
TEST(Blocks, HaveAHashForEver) {
  Digests digests;
  EXPECT_THAT(hashes(digests.read("<p>Search the documentation")),
              testing::ElementsAre(11485404103021317183u));
}

TEST(Blocks, CountTheWordsOfLinks) {
  Digests digests;
  const PageDigest page =
      digests.read("<p>one <a href=/b>two three</a> four<p>five<p><a href=/c>six<p>seven</a>");
  ASSERT_EQ(page.blocks.size(), 4u);
  EXPECT_EQ(page.blocks[0].link_words, 2u);
  EXPECT_EQ(page.blocks[1].link_words, 0u);
  EXPECT_EQ(page.blocks[2].link_words, 1u);
  EXPECT_EQ(page.blocks[3].link_words, 1u);
}

TEST(BoilerplateFilter, LeavesMenusOutWhereTheSiteIsSmall) {
  Digests digests;
  BoilerplateTally boilerplate{Templates()};
  BoilerplateFilter filter(boilerplate);
  PageDigest page =
      digests.read("<p><a href=/b>home</a> <a href=/c>shop</a> more<p>apples <a href=/d>pears</a>");
  page.url = "https://a.example/x/y";
  const auto kept = filter.filter(page);
  ASSERT_EQ(kept.size(), 5u);
  EXPECT_EQ(kept[0], no_term);
  EXPECT_EQ(kept[2], no_term);
  EXPECT_EQ(kept[3], page.terms[3]);
  EXPECT_EQ(kept[4], page.terms[4]);
  EXPECT_EQ(filter.left_out(), 3u);
}

// The words around a link that are left out have their places in the window.
TEST(PageFragments, CountsBoilerplateInTheWindow) {
  Digests digests;
  PageDigest page = digests.read(
      "<p>orchard harvest <p><a href=/1>menu</a> <a href=/2>bar</a> <p>pears <a "
      "href=/target>apples</a>");
  page.url = "https://a.example/x/y";
  page.title = "";
  test::MemoryFileSystem fs;
  FragmentSpool spool(fs, "fragments-", 1);
  FragmentWriter writer(spool, 4096);
  FragmentOptions options;
  options.blocks = true;
  options.window = 4;
  PageFragments fragments(options, writer);
  BoilerplateTally tally{Templates()};
  fragments.leave_out(tally);
  ASSERT_TRUE(fragments.add(page).is_ok());
  ASSERT_TRUE(writer.flush().is_ok());
  const auto bytes = storage::read_file(fs, spool.path(0));
  ASSERT_TRUE(bytes.is_ok());
  std::vector<std::vector<uint32_t>> windows;
  Fragment fragment;
  for (Cursor cursor(*bytes); read_fragment(cursor, fragment);) {
    if (fragment.kind != FragmentKind::link) continue;
    windows.emplace_back();
    for_each_term(fragment, [&](uint32_t term) { windows.back().push_back(term); });
  }
  ASSERT_EQ(windows.size(), 3u);
  const std::vector<uint32_t>& words = page.terms;  // orchard harvest menu bar pears apples
  EXPECT_THAT(windows[0], testing::ElementsAre(words[0], words[1], words[2], words[4], words[5]));
  EXPECT_THAT(windows[2], testing::ElementsAre(words[1], words[4], words[5]));
}

}  // namespace
}  // namespace kith::bags
