#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "text/url/url.h"

namespace kith::text {
namespace {

std::string key_of(std::string_view url) {
  std::string key;
  surt_of_url(url, key);
  return key;
}

std::string url_of(std::string_view key) {
  std::string url;
  url_of_surt(key, url);
  return url;
}

TEST(Surt, HasTheDocumentedForm) {
  EXPECT_EQ(key_of("https://www.example.org:8080/a?b"), "org example www\t:8080/a?b");
  EXPECT_EQ(key_of("https://www.example.org/"), "org example www\t/");
  EXPECT_EQ(key_of("http://www.example.org/"), "org example www\t/ ");
  EXPECT_EQ(key_of("http://192.0.2.1/"), "192.0.2.1\t/ ");
  EXPECT_EQ(key_of("https://[2001:db8::1]:81/x"), "[2001:db8::1]\t:81/x");
  EXPECT_EQ(key_of("https://localhost/"), "localhost\t/");
}

TEST(Surt, OfNames) {
  for (const auto* name :
       {"music-1", "42", "s3://bucket/key", "urn:uuid:1", "a\tb", "HTTP://x", " "}) {
    EXPECT_EQ(key_of(name), std::string("\t") + name);
    EXPECT_EQ(url_of(key_of(name)), name);
    EXPECT_EQ(host_of(name), "");
    EXPECT_LT(key_of(name), key_of("https://a/"));
  }
}

TEST(Surt, KeepsOddHosts) {
  for (const auto* url :
       {"http://a,b!c/", "https://a..b/", "http://./", "http://example.org./x", "http://.a/",
        "https://a\"b`c{d}/", "http://a/?", "http://1.2.3.4/", "http://1.2.3.a/", "http://a-b.c/",
        "http://0../", "http://[::1]/", "https://h:1/:2/[3]"}) {
    Url parsed;
    ASSERT_TRUE(parse_url(url, nullptr, parsed)) << url;
    ASSERT_EQ(parsed.href, url);
    EXPECT_EQ(url_of(key_of(url)), url);
  }
}

TEST(Surt, KeepsASiteTogether) {
  std::vector<std::string> urls = {
      "https://example.org/b",     "https://example.com/",     "http://example.org/a",
      "https://www.example.org/a", "https://example.org:81/a", "https://example-2.org/",
      "https://example.org/a",     "https://example!x.org/",   "https://a.www.example.org/",
      "https://example.organic/",  "https://xample.org/",
  };
  std::ranges::sort(urls, {}, key_of);
  std::vector<bool> of_site;
  for (const auto& url : urls) {
    of_site.push_back(("." + std::string(host_of(url))).ends_with(".example.org"));
  }
  EXPECT_EQ(std::ranges::count(of_site, true), 6);
  const auto first = std::ranges::find(of_site, true);
  EXPECT_TRUE(std::all_of(first, first + 6, [](bool in_site) { return in_site; }));
  const auto http = std::ranges::find(urls, "http://example.org/a");
  EXPECT_EQ(*(http - 1), "https://example.org/a");
}

TEST(Surt, IsSafeOnAnyBytes) {
  for (const auto* text :
       {"", ":", "http", "http://", "https://\t", " ", "\t", "  \t ", "[", "a.b"}) {
    (void)key_of(text);
    (void)url_of(text);
  }
}

rc::Gen<std::string> hosts() {
  const auto label = rc::gen::map(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("az09-_!,\"$&'()*+;=`{}~"))),
      [](std::string text) { return text; });
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(label), [](const auto& labels) {
    std::string host;
    for (const auto& part : labels) host += (host.empty() ? "" : ".") + part;
    return host;
  });
}

RC_GTEST_PROP(SurtProperty, IsABijection, ()) {
  const std::string tail = *rc::gen::element<std::string>("", "/", ":81/a//b", "/?", "/a b?c d");
  const std::string scheme = *rc::gen::element<std::string>("http://", "https://");
  Url url;
  RC_PRE(parse_url(scheme + *hosts() + tail, nullptr, url));
  RC_ASSERT(url_of(key_of(url.href)) == url.href);
}

}  // namespace
}  // namespace kith::text
