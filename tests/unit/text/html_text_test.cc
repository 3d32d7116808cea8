// What is text: words, blanks, references, alt, title (docs/algorithms/html.md).
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/html/html.h"
#include "unit/text/html_pages.h"

namespace kith::text {
namespace {

using namespace std::string_view_literals;
using test::extract;
using test::text_of;

TEST(HtmlText, EmptyPage) {
  const HtmlText page = extract("");
  EXPECT_EQ(page.text, "");
  EXPECT_EQ(page.title, "");
  EXPECT_TRUE(page.links.empty());
}

TEST(HtmlText, PlainTextStays) {
  EXPECT_EQ(text_of("no markup"), "no markup");
}

TEST(HtmlText, BlanksCollapse) {
  EXPECT_EQ(text_of("  a \t\r\n  b\fc  <b> d</b>  "), "a b c d");
  EXPECT_EQ(text_of("a" + std::string(100, ' ') + "b" + std::string(17, '\n') + "c"), "a b c");
}

TEST(HtmlText, ControlCharactersSeparate) {
  EXPECT_EQ(text_of("a\x01\x02 b\x1f"), "a b");
}

TEST(HtmlText, InlineElementsLeaveNothing) {
  EXPECT_EQ(text_of("H<b>al</b><i>l</i>o<span class=x>,</span> <unknown>w</unknown>orld<wbr>s"),
            "Hallo, worlds");
}

TEST(HtmlText, BlockElementsLeaveABlank) {
  EXPECT_EQ(text_of("<p>a<p>b<div>c</div>d<br>e<table><tr><td>f<td>g</table><ul><li>h<li>i</ul>"),
            "a b c d e f g h i");
  EXPECT_EQ(text_of("<select><option>a<option>b</select><dl><dt>c<dd>d</dl><h1>e</h1>f"),
            "a b c d e f");
}

TEST(HtmlText, CaseOfTagsDoesNotMatter) {
  EXPECT_EQ(text_of("a<DIV>b</DiV>c<SCRIPT>x</scRipt>d<BLOCKQUOTE>e"), "a b cd e");
}

TEST(HtmlText, NamedReferences) {
  EXPECT_EQ(text_of("&amp;&lt;&gt;&quot;&eacute;&nbsp;&hellip;"), "&<>\"\u00e9\u00a0\u2026");
  EXPECT_EQ(text_of("&AMP;&Aacute;&CounterClockwiseContourIntegral;"), "&\u00c1\u2233");
  EXPECT_EQ(text_of("&nGt;&nLt;&acE;"), "\u226b\u20d2\u226a\u20d2\u223e\u0333");
}

TEST(HtmlText, BareReferencesTakeTheLongestName) {
  EXPECT_EQ(text_of("&amp&lt&copy2"), "&<\u00a92");
  EXPECT_EQ(text_of("&notit; &notin; &notin"), "\u00acit; \u2209 \u00acin");
  EXPECT_EQ(text_of("&frac12x &thetasym &Alpha"), "\u00bdx &thetasym &Alpha");
}

TEST(HtmlText, NoReferences) {
  EXPECT_EQ(text_of("a & b && &; &x; &zzzz; &#; &#x; &#xg; &#a"),
            "a & b && &; &x; &zzzz; &#; &#x; &#xg; &#a");
  EXPECT_EQ(text_of("&"), "&");
  EXPECT_EQ(text_of("&am"), "&am");
}

TEST(HtmlText, NumericReferences) {
  EXPECT_EQ(text_of("&#65;&#x42;&#X43;&#68 &#69"), "ABCD E");
  EXPECT_EQ(text_of("&#x1F600;&#228;"), "\U0001f600\u00e4");
  EXPECT_EQ(text_of("&#0;&#xD800;&#xDFFF;&#1114112;&#99999999999999999999;"),
            "\ufffd\ufffd\ufffd\ufffd\ufffd");
}

TEST(HtmlText, NumericReferencesOfWindows1252) {
  EXPECT_EQ(text_of("&#128;&#x91;&#159;"), "\u20ac\u2018\u0178");
  EXPECT_EQ(text_of("&#129;"), "\u0081");
}

TEST(HtmlText, ReferencesToBlanksCollapseToo) {
  EXPECT_EQ(text_of("a&#32; &#10;&Tab;&NewLine;b"), "a b");
}

TEST(HtmlText, NulIsIgnoredInHtmlAndReplacedElsewhere) {
  EXPECT_EQ(text_of("a\0b"sv), "ab");
  EXPECT_EQ(text_of("<svg>a\0b"sv), "a\ufffdb");
  EXPECT_EQ(text_of("<textarea>a\0b"sv), "a\ufffdb");
  EXPECT_EQ(text_of("<plaintext>a\0b"sv), "a\ufffdb");
}

TEST(HtmlText, AltStandsForItsImage) {
  EXPECT_EQ(text_of("a<img src=x alt=pic>b"), "a pic b");
  EXPECT_EQ(text_of("a<image alt='&lt;b> &amp;  c'>d"), "a <b> & c d");
  EXPECT_EQ(text_of("a<img alt=''>b<img>c"), "a b c");
  EXPECT_EQ(text_of("<img alt=one alt=two>"), "one");
}

TEST(HtmlText, TitleIsNotText) {
  const HtmlText page = extract("<title> A &amp;\n <b>B</b>&nbsp;</TITLE >c");
  EXPECT_EQ(page.title, "A & <b>B</b>\u00a0");
  EXPECT_EQ(page.text, "c");
}

TEST(HtmlText, FirstTitleCounts) {
  EXPECT_EQ(extract("<title>a</title><body><title>b</title>").title, "a");
  EXPECT_EQ(extract("<title></title><title>b</title>").title, "");
  EXPECT_EQ(extract("<svg><title>icon</title></svg><title>page</title>").title, "page");
  EXPECT_EQ(text_of("a<title>b</title>c<title>d</title>e"), "a c e");
}

TEST(HtmlText, LanguageOfHtml) {
  EXPECT_EQ(extract("<!doctype html><html lang=\"de-AT\">").language, "de-AT");
  EXPECT_EQ(extract("<html class=a><html lang=en><html lang=fr>").language, "en");
  EXPECT_EQ(extract("<p lang=de>").language, "");
}

TEST(HtmlText, FirstBaseWithHrefCounts) {
  EXPECT_EQ(extract("<base target=a><base href='/x&amp;y'><base href=/z>").base_href, "/x&y");
  EXPECT_EQ(extract("<base href><base href=/z>").base_href, "");
  EXPECT_EQ(extract("<p>").base_href, "");
}

TEST(HtmlText, TheResultIsReplaced) {
  HtmlText page;
  extract_html("<html lang=de><title>t</title><base href=b><a href=h>long text here</a>", page);
  extract_html("x", page);
  EXPECT_EQ(page.text, "x");
  EXPECT_EQ(page.title + page.base_href + page.language + page.hrefs, "");
  EXPECT_TRUE(page.links.empty());
  page.clear();
  EXPECT_EQ(page.text, "");
}

}  // namespace
}  // namespace kith::text
