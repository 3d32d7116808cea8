// Refreshes and canonical links: where a page says that it is better looked for.
#include <string>

#include <gtest/gtest.h>

#include "text/html/attributes.h"
#include "unit/text/html_pages.h"

namespace kith::text {
namespace {

using test::extract;

TEST(RefreshTarget, FollowsTheStandard) {
  EXPECT_EQ(refresh_target("0; url=a.html"), "a.html");
  EXPECT_EQ(refresh_target("1;URL = 'a b.html' x"), "a b.html");
  EXPECT_EQ(refresh_target(" 0.5 , \"a.html\""), "a.html");
  EXPECT_EQ(refresh_target("0 a.html"), "a.html");
  EXPECT_EQ(refresh_target("0;urls.html"), "urls.html");
  EXPECT_EQ(refresh_target("0;url=url"), "url");
  EXPECT_EQ(refresh_target(".;url=a"), "a");
}

TEST(RefreshTarget, IsNoneWhereThePageStaysOrReloadsItself) {
  for (const char* content :
       {"", "0", "0;", "0; ", "0;url=", "0;url=''", "2;url=a", "5;url=a", "11;url=a",
        "99999999999999999999;url=a", "a.html", "x;url=a", "0a.html"}) {
    EXPECT_EQ(refresh_target(content), std::nullopt) << content;
  }
}

TEST(IsCanonical, IsOneOfTheLinkTypes) {
  EXPECT_TRUE(is_canonical("canonical"));
  EXPECT_TRUE(is_canonical(" shortlink\tCANONICAL "));
  EXPECT_FALSE(is_canonical(""));
  EXPECT_FALSE(is_canonical("canonicals x-canonical"));
}

TEST(HtmlTarget, CanonicalLink) {
  EXPECT_EQ(extract("<link rel=canonical href='/a?x=1&amp;y=2'>").canonical, "/a?x=1&y=2");
  EXPECT_EQ(extract("<LINK HREF=a REL='alternate Canonical'>").canonical, "a");
  EXPECT_EQ(extract("<link rel=canonical href=a><link rel=canonical href=b>").canonical, "a");
  EXPECT_EQ(extract("<link rel=stylesheet href=a><link rel=canonical>").canonical, "");
  EXPECT_EQ(extract("<template><link rel=canonical href=a></template>").canonical, "");
  EXPECT_EQ(extract("<!-- <link rel=canonical href=a> -->").canonical, "");
}

TEST(HtmlTarget, MetaRefresh) {
  EXPECT_EQ(extract("<meta http-equiv=refresh content='0; url=a.html'>").refresh, "a.html");
  EXPECT_EQ(extract("<meta content='0; url=&quot;b&quot;' HTTP-EQUIV='Refresh'>").refresh, "b");
  EXPECT_EQ(extract("<meta http-equiv=refresh content=60>").refresh, "");
  EXPECT_EQ(extract("<meta name=refresh content='0;url=a'>").refresh, "");
}

TEST(HtmlTarget, RefreshForReadersWithoutScriptsIsNone) {
  const std::string refresh = "<meta http-equiv=refresh content='0; url=a'>";
  EXPECT_EQ(extract("<noscript>" + refresh + "</noscript>").refresh, "");
  EXPECT_EQ(extract("<noscript><p></noscript>" + refresh).refresh, "a");
  EXPECT_EQ(extract("<noscript><link rel=canonical href=a></noscript>").canonical, "a");
}

TEST(HtmlTarget, IsForgottenWithThePage) {
  HtmlText page;
  extract_html("<link rel=canonical href=a><meta http-equiv=refresh content='0;url=b'>", page);
  extract_html("<p>another", page);
  EXPECT_EQ(page.canonical, "");
  EXPECT_EQ(page.refresh, "");
  EXPECT_EQ(page.text, "another");
}

}  // namespace
}  // namespace kith::text
