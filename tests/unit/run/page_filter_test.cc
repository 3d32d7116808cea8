#include "run/page_filter.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/time_range.h"

namespace kith::run {
namespace {

using ::testing::HasSubstr;

crawl::Page page_at(std::string_view url) {
  crawl::Page page;
  page.url = url;
  page.body = "<p>words of a page";
  return page;
}

bool takes(const crawl::Page& page, std::vector<std::string> include,
           std::vector<std::string> exclude = {}, std::string language = "") {
  ReadOptions options;
  options.include = std::move(include);
  options.exclude = std::move(exclude);
  options.language = std::move(language);
  const auto filter = PageFilter::parse(options);
  EXPECT_TRUE(filter) << filter.error().message;
  return filter && filter->takes(page);
}

std::string refusal(const std::string& text) {
  ReadOptions options;
  options.include = {text};
  const auto filter = PageFilter::parse(options);
  return filter ? "" : filter.error().message;
}

TEST(PageFilter, HostsAndDomains) {
  const crawl::Page page = page_at("HTTP://WWW.Example.org:8080/a?b");
  EXPECT_TRUE(takes(page, {"host:www.example.org"}));
  EXPECT_TRUE(takes(page, {"host:WWW.EXAMPLE.ORG"}));
  EXPECT_FALSE(takes(page, {"host:example.org"}));
  EXPECT_TRUE(takes(page, {"domain:example.org"}));
  EXPECT_TRUE(takes(page, {"domain:org"}));
  EXPECT_TRUE(takes(page, {"domain:www.example.org"}));
  EXPECT_FALSE(takes(page, {"domain:xample.org"}));
  EXPECT_FALSE(takes(page, {"domain:a.www.example.org"}));
  EXPECT_TRUE(takes(page_at("http://b\xc3\xbc"
                            "cher.test/"),
                    {"host:b\xc3\xbc"
                     "cher.test"}));
  EXPECT_TRUE(takes(page_at("http://192.0.2.1/"), {"host:192.0.2.1"}));
}

TEST(PageFilter, UrlsAreCanonicalAndNamesAreNot) {
  const crawl::Page page = page_at("http://A.test/x/../b c");
  EXPECT_TRUE(takes(page, {"url:^http://a\\.test/b%20c$"}));
  EXPECT_TRUE(takes(page, {"url:(?i)B%20C"}));
  EXPECT_FALSE(takes(page, {"url:/x/"}));
  EXPECT_TRUE(takes(page_at("doc-17"), {"url:^doc-[0-9]+$"}));
  EXPECT_FALSE(takes(page_at("doc-17"), {"domain:test"}));
}

TEST(PageFilter, UrlsAreThoseThatRulesMake) {
  ReadOptions options;
  options.include = {"url:^http://a.test/$"};
  options.url_rules = "common";
  EXPECT_TRUE(PageFilter::parse(options)->takes(page_at("http://a.test/?utm_id=1")));
}

TEST(PageFilter, TypesAreThoseOfHttpOrOfTheReader) {
  crawl::Page page = page_at("http://a.test/");
  EXPECT_TRUE(takes(page, {"type:text/html"}));
  page.kind = crawl::PageKind::text;
  EXPECT_TRUE(takes(page, {"type:text/plain"}));
  page.media_type = "Application/XHTML+xml";
  EXPECT_TRUE(takes(page, {"type:application/xhtml+xml"}));
  EXPECT_TRUE(takes(page, {"type:application/*"}));
  EXPECT_FALSE(takes(page, {"type:text/*"}));
}

TEST(PageFilter, LanguagesAreDetectedOrThoseOfAllPages) {
  crawl::Page page = page_at("http://a.test/");
  page.body =
      "<html lang=pl><p>W Szczebrzeszynie chrz\xc4\x85szcz brzmi w trzcinie i Szczebrzeszyn z tego "
      "s\xc5\x82ynie.";
  EXPECT_TRUE(takes(page, {"language:pl"}));
  EXPECT_TRUE(takes(page, {"language:polish"}));
  EXPECT_FALSE(takes(page, {"language:en"}));
  EXPECT_TRUE(takes(page, {"language:en"}, {}, "en"));
}

TEST(PageFilter, SizesAreRanges) {
  crawl::Page page = page_at("http://a.test/");
  const std::string body(2048, 'x');
  page.body = body;
  for (const char* const one : {"size:2k", "size:2048", "size:2k..", "size:..2k", "size:1..1M"}) {
    EXPECT_TRUE(takes(page, {one})) << one;
  }
  for (const char* const one : {"size:2047", "size:2049..", "size:..2047"}) {
    EXPECT_FALSE(takes(page, {one})) << one;
  }
}

TEST(PageFilter, DatesIncludeBothEnds) {
  crawl::Page page = page_at("http://a.test/");
  EXPECT_FALSE(takes(page, {"date:.."
                            "2100"}));
  EXPECT_TRUE(takes(page, {}, {"date:..2100"}));
  page.time = 1583020799999;  // 2020-02-29T23:59:59.999Z
  for (const char* const one :
       {"date:2020", "date:2020-02", "date:20200229", "date:2019..2020-02-29", "date:..2020-02",
        "date:2020-02-29..", "date:2020-02-29T23:59:59Z"}) {
    EXPECT_TRUE(takes(page, {one})) << one;
  }
  for (const char* const one :
       {"date:2021", "date:2020-03..", "date:..2020-02-28", "date:2020-02-29T23:59:58Z"}) {
    EXPECT_FALSE(takes(page, {one})) << one;
  }
}

TEST(PageFilter, FieldsAreJoinedByAndFiltersOfOneByOr) {
  const crawl::Page page = page_at("http://a.test/b");
  EXPECT_TRUE(takes(page, {"host:c.test", "type:text/html", "host:a.test"}));
  EXPECT_FALSE(takes(page, {"host:a.test", "type:text/plain"}));
  EXPECT_FALSE(takes(page, {"host:a.test"}, {"url:/b$"}));
  EXPECT_TRUE(takes(page, {}, {"url:/c$", "host:b.test"}));
}

TEST(PageFilter, OfRedirectsCountsWhatTheyHave) {
  crawl::Page page = page_at("http://a.test/b");
  page.kind = crawl::PageKind::redirect;
  page.body = {};
  EXPECT_TRUE(takes(page, {"type:text/plain", "language:de", "size:1k.."}, {"size:0"}));
  EXPECT_FALSE(takes(page, {"host:b.test"}));
  page.kind = crawl::PageKind::removal;
  EXPECT_TRUE(takes(page, {"host:b.test"}));
}

TEST(PageFilter, SaysWhatIsWrong) {
  EXPECT_THAT(refusal("example.org"),
              HasSubstr("include = example.org: must be FIELD:VALUE, where FIELD is one of "
                        "host, domain, url, type, language, date, size"));
  EXPECT_THAT(refusal("site:a.test"), HasSubstr("must be FIELD:VALUE"));
  EXPECT_THAT(refusal("host:"), HasSubstr("include = host:: has no value"));
  EXPECT_THAT(refusal("host:http://a.test/"), HasSubstr("is no host"));
  EXPECT_THAT(refusal("host:*.a.test"), HasSubstr("is no host"));
  EXPECT_THAT(refusal("url:(a"), HasSubstr("is no regular expression of RE2: missing"));
  EXPECT_THAT(refusal("type:html"), HasSubstr("is no media type"));
  EXPECT_THAT(refusal("language:klingon"), HasSubstr("is no language that kith knows"));
  for (const char* const date : {"date:2020-13", "date:2021..2020", "date:..", "date:20",
                                 "date:2020-02-30", "date:2020-1", "date:x..", "date:2020-"}) {
    EXPECT_THAT(refusal(date), HasSubstr("is no date or range of dates")) << date;
  }
  EXPECT_THAT(refusal("size:big"), HasSubstr("is no range of sizes"));
  EXPECT_THAT(refusal("size:.."), HasSubstr("has no bound"));
  EXPECT_THAT(refusal("size:2k..1k"), HasSubstr("ends before it begins"));
}

}  // namespace
}  // namespace kith::run
