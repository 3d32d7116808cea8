// Links: which elements are one, where their anchor text begins and ends.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/text/html_pages.h"

namespace kith::text {
namespace {

using test::extract;
using test::Links;
using test::links_of;

TEST(HtmlLinks, AnchorText) {
  EXPECT_EQ(links_of("x <a href=u>a <b>b</b></a> y"), (Links{{"u", "a b"}}));
  EXPECT_EQ(links_of("<A HREF='u'>a</A>"), (Links{{"u", "a"}}));
  EXPECT_EQ(links_of("<a href=u></a>"), (Links{{"u", ""}}));
  EXPECT_EQ(links_of("<a href=u><img alt=pic></a>"), (Links{{"u", "pic "}}));
}

TEST(HtmlLinks, OffsetsAreThoseOfTheText) {
  const HtmlText page = extract("<p>one  <a href=u>\n two </a> three");
  EXPECT_EQ(page.text, "one two three");
  ASSERT_EQ(page.links.size(), 1u);
  EXPECT_EQ(page.links[0].text_begin, 4u);
  EXPECT_EQ(page.links[0].text_end, 8u);
}

TEST(HtmlLinks, AnAnchorEndsTheOneBefore) {
  EXPECT_EQ(links_of("<a href=u>a<a href=v>b</a>c</a>"), (Links{{"u", "a"}, {"v", "b"}}));
  EXPECT_EQ(links_of("<a href=u>a<a name=n>b</a>"), (Links{{"u", "a"}}));
  EXPECT_EQ(links_of("<a href=u>a<p>b"), (Links{{"u", "a b"}}));
}

TEST(HtmlLinks, OnlyWithHref) {
  EXPECT_TRUE(links_of("<a>a</a><a name=x>b</a><link href=u><form action=v>").empty());
  EXPECT_EQ(links_of("<a href>a</a><a href=''>b</a>"), (Links{{"", "a"}, {"", "b"}}));
}

TEST(HtmlLinks, Areas) {
  EXPECT_EQ(links_of("<map>a<area href=u>b<area alt=x></map>"), (Links{{"u", ""}}));
}

TEST(HtmlLinks, AnchorsOfSvg) {
  EXPECT_EQ(links_of("<svg><a href=u><text>a</text></a></svg>"), (Links{{"u", "a "}}));
}

TEST(HtmlLinks, HrefIsDecoded) {
  EXPECT_EQ(links_of("<a href='?a=1&amp;b=2&#x26;c'>")[0].first, "?a=1&b=2&c");
  EXPECT_EQ(links_of("<a href=?a&copy;b>")[0].first, "?a\u00a9b");
  EXPECT_EQ(links_of("<a href='a\r\nb\rc'>")[0].first, "a\nb\nc");
  EXPECT_EQ(links_of(std::string("<a href='a\0b'>", 14))[0].first, "a\ufffdb");
}

TEST(HtmlLinks, BareReferencesInHrefNeedAnEnd) {
  EXPECT_EQ(links_of("<a href='?a&copy=1&not2&notit;&lt'>")[0].first, "?a&copy=1&not2&notit;<");
  EXPECT_EQ(links_of("<a href='&copy&amp='>")[0].first, "\u00a9&amp=");
}

TEST(HtmlLinks, FirstAttributeWins) {
  EXPECT_EQ(links_of("<a href=u HREF=v>a</a>"), (Links{{"u", "a"}}));
  EXPECT_EQ(links_of("<a href href=v>a</a>"), (Links{{"", "a"}}));
}

TEST(HtmlLinks, FormsOfAttributes) {
  for (const char* const tag :
       {"<a href=u>", "<a href='u'>", "<a href=\"u\">", "<a href = u >", "<a\nhref\n=\n'u'\n>",
        "<a/href=u>", "<a class=\"b\" href=\"u\" title=\"href='v'\">", "<a class=b'href=c href=u>",
        "<a title='>' href=\"u\">", "<a x='y'href=u>", "<a =href=v href=u>"}) {
    EXPECT_THAT(links_of(tag), testing::ElementsAre(testing::Pair("u", ""))) << tag;
    // Far from the end of the input tags are read another way.
    EXPECT_EQ(links_of(tag + std::string(64, ' '))[0].first, "u") << tag;
  }
  EXPECT_EQ(links_of("<a href=u/>")[0].first, "u/");
}

TEST(HtmlLinks, AnchorAtTheEndOfThePage) {
  EXPECT_EQ(links_of("<a href=u>all the rest"), (Links{{"u", "all the rest"}}));
  EXPECT_EQ(links_of("<a href=u>"), (Links{{"u", ""}}));
}

TEST(HtmlLinks, OnlySoManyOfAPageAreKept) {
  std::string page;
  for (size_t i = 0; i < max_links + 5; ++i) page += "<a href=x>";
  HtmlText read;
  extract_html(page, read);
  EXPECT_EQ(read.links.size(), max_links);
  EXPECT_EQ(read.further_links, 5u);
  extract_html("<a href=x>", read);
  EXPECT_EQ(read.links.size(), 1u);
  EXPECT_EQ(read.further_links, 0u);
}

}  // namespace
}  // namespace kith::text
