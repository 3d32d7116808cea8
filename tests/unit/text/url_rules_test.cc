#include "text/url/url_rules.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kith::text {
namespace {

using ::testing::HasSubstr;

std::string rewritten(std::string_view rules, std::string_view text) {
  const auto parsed = UrlRules::parse(rules);
  EXPECT_TRUE(parsed) << parsed.error().message;
  Url url;
  EXPECT_TRUE(parse_url(text, nullptr, url)) << text;
  parsed->apply(url);
  Url again;
  EXPECT_TRUE(parse_url(url.href, nullptr, again));
  EXPECT_EQ(again.href, url.href) << text;
  EXPECT_EQ(again.path_begin, url.path_begin);
  EXPECT_EQ(again.query_begin, url.query_begin);
  parsed->apply(again);
  EXPECT_EQ(again.href, url.href) << "rules of " << text << " are not done at once";
  return url.href;
}

// Each row of the table of docs/algorithms/url_rules.md.
TEST(UrlRules, EachAlone) {
  struct Row {
    const char* rule;
    const char* from;
    const char* to;
  };
  for (const Row& row : {
           Row{"unwrap", "https://web.archive.org/web/2020id_/http://a.test", "http://a.test/"},
           Row{"unwrap",
               "https://web.archive.org/web/2020/https://wayback.test/20200101/http://A.test/%7e?q",
               "http://a.test/%7e?q"},
           Row{"escapes", "http://a.test/%7euser/%2fx?q=%c3%a9%41",
               "http://a.test/~user/%2Fx?q=%C3%A9A"},
           Row{"sessions",
               "http://a.test/b;jsessionid=1F/"
               "c;v=2;PHPSESSID=9?x=1&sid=0123456789abcdef0123456789ABCDEF",
               "http://a.test/b/c;v=2?x=1"},
           Row{"sessions", "http://a.test/(S(4f3k2j))/b.aspx?SessionID=3&sid=7",
               "http://a.test/b.aspx?sid=7"},
           Row{"sessions", "http://a.test/(A(x)S(y))", "http://a.test/"},
           Row{"tracking", "http://a.test/?utm_source=x&id=1&UTM_Medium=y&gclid=z",
               "http://a.test/?id=1"},
           Row{"tracking", "http://a.test/?fbclid=x", "http://a.test/"},
           Row{"order", "http://a.test/?b=2&a=1&b=1&A=0", "http://a.test/?A=0&a=1&b=2&b=1"},
           Row{"empty", "http://a.test/?", "http://a.test/"},
           Row{"empty", "http://a.test/?&a=1&&b=2&", "http://a.test/?a=1&b=2"},
           Row{"names", "http://a.test/?ID=Ab", "http://a.test/?id=Ab"},
           Row{"slash", "http://a.test/b//?q", "http://a.test/b?q"},
           Row{"slash", "http://a.test/", "http://a.test/"},
           Row{"www", "http://www.a.test:81/", "http://a.test:81/"},
           Row{"www", "http://www.test/", "http://www.test/"},
           Row{"www", "http://www.www.a.test/", "http://a.test/"},
           Row{"https", "http://a.test/", "https://a.test/"},
           Row{"https", "http://a.test:8080/", "http://a.test:8080/"},
           Row{"parameter ref", "http://a.test/?REF=1&ref2=1", "http://a.test/?ref2=1"},
           Row{"parameter r*", "http://a.test/?ref=1&q", "http://a.test/?q"},
       }) {
    EXPECT_EQ(rewritten(row.rule, row.from), row.to) << row.rule;
  }
}

TEST(UrlRules, CommonOnesLeaveThePageAlone) {
  EXPECT_EQ(rewritten("common", "http://www.A.test/%7Ex/;jsessionid=2?ID=1&&b=%41&utm_id=3&a"),
            "http://www.a.test/~x/?ID=1&a&b=A");
  EXPECT_EQ(rewritten("", "http://a.test/%7e?"), "http://a.test/%7e?");
}

TEST(UrlRules, LinesAndComments) {
  EXPECT_EQ(rewritten("# all\r\n common \n\nwww # too\nparameter  x\n", "http://www.a.test/?x=1&y"),
            "http://a.test/?y");
  for (const char* const wrong :
       {"commons", "parameter", "parameter *", "parameter a b", "www https"}) {
    EXPECT_THAT(UrlRules::parse(wrong).error().message,
                HasSubstr("is no rule; there are common, escapes, sessions, tracking, order, "
                          "empty, names, slash, www, "
                          "https, unwrap, and parameter NAME"));
  }
}

TEST(UrlRules, WhatTheParserReadsOtherwiseStays) {
  EXPECT_EQ(rewritten("sessions", "http://a.test/b/.;jsessionid=1/c"),
            "http://a.test/b/.;jsessionid=1/c");
  EXPECT_EQ(rewritten("escapes", "http://a.test/%%37E/%5%35"), "http://a.test/%%37E/%5%35");
  EXPECT_EQ(rewritten("common", "http://a.test/%2541?%2541=%zz"), "http://a.test/%2541?%2541=%zz");
}

}  // namespace
}  // namespace kith::text
