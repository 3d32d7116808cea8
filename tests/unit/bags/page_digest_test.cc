// What a page brings to the bags stage, and how much at most.
#include "bags/page_digest.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "unit/bags/parsed_url.h"

namespace kith::bags {
namespace {

using test::parsed;

PageDigest digest_of_links(std::string base, size_t links) {
  Vocabulary vocabulary;
  TermReader terms(vocabulary);
  PageDigester digester({}, terms);
  text::HtmlText page;
  page.base_href = std::move(base);
  page.hrefs = "y";
  for (size_t link = 0; link < links; ++link) page.links.push_back({0, 0, 0, 1});
  return digester.read(parsed("https://a.example/"), page, "", no_time);
}

// What a page brings is bounded by its size: a long base before very many short links is not kept
// for each of them.
TEST(PageDigester, KeepsSoManyBytesOfLinks) {
  constexpr size_t links = 1000;
  const PageDigest digest =
      digest_of_links("https://long.example/" + std::string(8000, 'x') + "/", links);
  const size_t whole_url = 8000 + 23;
  const uint64_t room = free_link_bytes + links * max_link_growth * (1 + 9);
  EXPECT_EQ(digest.links.size(), room / whole_url);
  EXPECT_EQ(digest.links_met, links);
  EXPECT_EQ(digest.bad_links, links - digest.links.size());
}

TEST(PageDigester, TakesNoBaseThatIsTooLong) {
  const PageDigest digest =
      digest_of_links("https://long.example/" + std::string(9000, 'x') + "/", 1);
  ASSERT_EQ(digest.links.size(), 1u);
  std::string url;
  digest.link_urls.read(0, url);
  EXPECT_EQ(url, "https://a.example/y");
}

PageDigest digest_of_text(const text::HtmlText& page) {
  Vocabulary vocabulary;
  TermReader terms(vocabulary);
  PageDigester digester({.blocks = true}, terms);
  return digester.read(parsed("https://a.example/"), page, "", no_time);
}

TEST(PageDigester, TakesSoManyBlocksAndTheRestAsOne) {
  std::string html;
  for (size_t i = 0; i < text::max_blocks + 100; ++i) html += "<p>word";
  text::HtmlText page;
  text::extract_html(html, page);
  EXPECT_EQ(page.block_bounds.size(), text::max_blocks);
  const PageDigest digest = digest_of_text(page);
  EXPECT_EQ(digest.terms.size(), text::max_blocks + 100);
  // The first block begins without a bound.
  ASSERT_EQ(digest.blocks.size(), text::max_blocks + 1);
  EXPECT_EQ(digest.blocks.back().begin, text::max_blocks);
}

TEST(PageDigester, FindsNoBlocksWhereOnlyLinksAreKnown) {
  text::HtmlText page;
  page.text = "apples pears";
  page.links_stand_alone = true;
  EXPECT_TRUE(digest_of_text(page).blocks.empty());
  page.links_stand_alone = false;
  EXPECT_EQ(digest_of_text(page).blocks.size(), 1u);
}

}  // namespace
}  // namespace kith::bags
