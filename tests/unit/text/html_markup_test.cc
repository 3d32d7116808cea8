// The tokenizer's states: where markup, comments and raw text begin and end.
#include <string>

#include <gtest/gtest.h>

#include "unit/text/html_pages.h"

namespace kith::text {
namespace {

using test::extract;
using test::links_of;
using test::text_of;

TEST(HtmlMarkup, LessThanThatOpensNothing) {
  EXPECT_EQ(text_of("a < b <3 <- <= <"), "a < b <3 <- <= <");
  EXPECT_EQ(text_of("a</"), "a</");
  EXPECT_EQ(text_of("a</>b</ x>c</3>d"), "abcd");
}

TEST(HtmlMarkup, TagsThatAreCutDoNotCount) {
  EXPECT_EQ(text_of("a<b"), "a");
  EXPECT_EQ(text_of("a<p class='x>b"), "a");
  EXPECT_EQ(text_of("a</p"), "a");
  EXPECT_TRUE(links_of("<a href=x").empty());
  EXPECT_TRUE(links_of("<a href='x").empty());
}

TEST(HtmlMarkup, QuotesMatterOnlyAroundValues) {
  EXPECT_EQ(text_of("<p a='>' b=\">\">x"), "x");
  EXPECT_EQ(text_of("<p a'>x'>"), "x'>");
  EXPECT_EQ(text_of("<p a=b'>x'>"), "x'>");
  EXPECT_EQ(text_of("<p a= \n'>'>x"), "x");
  EXPECT_EQ(text_of("<p =\">x\">"), "x\">");
  EXPECT_EQ(text_of("<p a==\">x\">"), "x\">");
  EXPECT_EQ(text_of("<p a=>x"), "x");
  EXPECT_EQ(text_of("<p a='b'c=\">\"/>x"), "x");
}

TEST(HtmlMarkup, NamesEndAtBlanksAndSlashes) {
  EXPECT_EQ(text_of("a<div\nid=x>b<div/>c<div/x>d<divx>e<div\f>f"),
            "a b c d"
            "e f");
  EXPECT_EQ(text_of("a<di\x01v>b<div\x01>c<h\x12>d"), "abcd");
}

TEST(HtmlMarkup, Comments) {
  EXPECT_EQ(text_of("a<!-- <p> -- > - -->b"), "ab");
  EXPECT_EQ(text_of("a<!-->b<!--->c<!---->d<!----->e"), "abcde");
  EXPECT_EQ(text_of("a<!--x--!>b<!----!>c<!--!>d-->e"), "abce");
  EXPECT_EQ(text_of("a<!-- <!-- -->b<!--<!-->c"), "abc");
  EXPECT_EQ(text_of("a<!--x->y"), "a");
  EXPECT_EQ(text_of("a<!--"), "a");
}

TEST(HtmlMarkup, BogusCommentsAndDoctypes) {
  EXPECT_EQ(text_of("a<!doctype html PUBLIC '>b'>c"), "ab'>c");
  EXPECT_EQ(text_of("a<?php echo '>' ?>b"), "a' ?>b");
  EXPECT_EQ(text_of("a<!x>b<!>c<!->d"), "abcd");
  EXPECT_EQ(text_of("a<![CDATA[x>y]]>b"), "ay]]>b");
  EXPECT_EQ(text_of("a<!x"), "a");
}

TEST(HtmlMarkup, ContentThatIsNoTextIsDropped) {
  EXPECT_EQ(text_of("a<style>p > b {}</p></style>b"), "ab");
  EXPECT_EQ(text_of("a<iframe><p>x</iframe>b<noembed>x</noembed>c<noframes><p>x</noframes>d"),
            "a b c d");
  EXPECT_EQ(text_of("a<style>x</styleX>y</style/>b<style>z</STYLE\n>c"), "abc");
  EXPECT_EQ(text_of("a<style>x"), "a");
}

TEST(HtmlMarkup, NoscriptIsMarkup) {
  EXPECT_EQ(text_of("<noscript>a<b>c</b></noscript>"), "ac");
}

TEST(HtmlMarkup, RawTextThatIsShown) {
  EXPECT_EQ(text_of("<textarea>a <p> &amp; </b></textarea>c"), "a <p> & </b> c");
  EXPECT_EQ(text_of("<xmp>a <p> &amp; </b></xmp>c"), "a <p> &amp; </b> c");
  EXPECT_EQ(text_of("a<plaintext>b <p> &amp; </plaintext>c"), "a b <p> &amp; </plaintext>c");
}

TEST(HtmlMarkup, Scripts) {
  EXPECT_EQ(text_of("a<script>if (x < y && '</p>') {}</script>b"), "ab");
  EXPECT_EQ(text_of("a<script>x</scriptx>y</script >b"), "ab");
  EXPECT_EQ(text_of("a<script><!-- x --></script>b"), "ab");
  EXPECT_EQ(text_of("a<script><!-- x </script>b"), "ab");
  EXPECT_EQ(text_of("a<script>x"), "a");
}

TEST(HtmlMarkup, DoubleEscapedScripts) {
  EXPECT_EQ(text_of("a<script><!-- <script> x </script> y --></script>b"), "ab");
  EXPECT_EQ(text_of("a<script><!-- <script> x </script> y </script>b"), "ab");
  EXPECT_EQ(text_of("a<script><!-- <script> --> x </script>b"), "ab");
  EXPECT_EQ(text_of("a<script><!-- <scriptx> x </script>b"), "ab");
  EXPECT_EQ(text_of("a<script><!--> <script> x </script>b"), "ab");
  EXPECT_EQ(text_of("a<script><!-- <script> x </script>b"), "a");
}

TEST(HtmlMarkup, TemplatesAreNotShown) {
  EXPECT_EQ(text_of("a<template>b<template>c</template>d<img alt=e></template>f</template>g"),
            "afg");
  EXPECT_TRUE(links_of("<template><a href=x>y</a><base href=z></template>").empty());
  EXPECT_EQ(text_of("a<template shadowrootmode=open>b<template>c</template></template>d"), "abd");
  EXPECT_EQ(text_of("a<template>b"), "a");
}

TEST(HtmlForeign, CdataIsText) {
  EXPECT_EQ(text_of("<svg><text><![CDATA[a<b>&amp;]]]></text></svg>c"), "a<b>&amp;] c");
  EXPECT_EQ(text_of("<svg><![CDATA[a"), "a");
  EXPECT_EQ(text_of("<math><![CDATA[a]]></math><![CDATA[b]]>c"), "a c");
}

TEST(HtmlForeign, StylesAndScriptsAreMarkupAndDropped) {
  EXPECT_EQ(text_of("a<svg><style>b<![CDATA[c]]></style>d<script>e</script>f</svg>g"), "a df g");
  EXPECT_EQ(text_of("a<svg><style/>b</svg>c"), "a b c");
  EXPECT_EQ(text_of("a<svg><metadata>b</metadata>c</svg>"), "a c");
  EXPECT_EQ(text_of("<math><mi>x</mi><annotation encoding=tex>\\b</annotation></math>c"), "x c");
}

TEST(HtmlForeign, HtmlTagsLeaveIt) {
  EXPECT_EQ(text_of("<svg><g>a<p>b<style>c</style><![CDATA[d]]>"), "a b");
  EXPECT_EQ(text_of("<svg>a</p>b<![CDATA[c]]>"), "a b");
  EXPECT_EQ(text_of("<svg><font>a<![CDATA[b]]><font color=red><![CDATA[c]]>"), "ab");
}

TEST(HtmlForeign, IntegrationPointsAreHtml) {
  EXPECT_EQ(text_of("<svg><foreignObject><p>a<![CDATA[b]]><style><p></style></foreignObject>"
                    "<![CDATA[c]]></svg>"),
            "a c");
  EXPECT_EQ(text_of("<svg><desc>a<b>b</b></desc><![CDATA[c]]>"), "ab c");
  EXPECT_EQ(text_of("<math><annotation-xml encoding=Text/HTML><p>a</annotation-xml><![CDATA[b]]>"),
            "a b");
  EXPECT_EQ(text_of("<math><mi><p>a</mi><![CDATA[b]]>"), "a b");
}

TEST(HtmlForeign, ElementsCloseWhatIsInside) {
  EXPECT_EQ(text_of("<svg><style>a</svg>b<![CDATA[c]]>"), "b");
  EXPECT_EQ(text_of("<svg/>a<![CDATA[b]]>"), "a");
  EXPECT_EQ(text_of("<svg><svg></svg><![CDATA[a]]></svg><![CDATA[b]]>"), "a");
}

TEST(HtmlForeign, DeeperThanItsStack) {
  const std::string open = test::repeat("<svg>", 5 * 100);
  const std::string close = test::repeat("</svg>", 6 * 100);
  EXPECT_EQ(text_of(open + "<![CDATA[a]]>" + close + "<![CDATA[b]]>c"), "a c");
  EXPECT_EQ(text_of(open + "<p>a<![CDATA[b]]>"), "a");
}

TEST(HtmlForeign, ImageAndTitleAreOtherElementsThere) {
  EXPECT_EQ(text_of("<svg><image alt=a></image></svg>b"), "b");
  EXPECT_EQ(text_of("<svg><title>a<b>b</b></title></svg>"), "ab");
}

}  // namespace
}  // namespace kith::text
