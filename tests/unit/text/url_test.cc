#include "text/url/url.h"

#include <fstream>
#include <string>
#include <string_view>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/data.h"

namespace kith::text {
namespace {

// The canonical URL, or "-".
std::string resolve(std::string_view base_text, std::string_view href) {
  Url base;
  Url url;
  if (!parse_url(base_text, nullptr, base) || !parse_url(href, &base, url)) return "-";
  return url.href;
}

std::string canonical(std::string_view input) {
  Url url;
  return parse_url(input, nullptr, url) ? url.href : "-";
}

TEST(ParseUrl, AgreesWithNodeOnTheSample) {
  std::ifstream pairs(test::test_data("urls/hrefs.tsv"), std::ios::binary);
  std::ifstream answers(test::test_data("urls/canonical.txt"), std::ios::binary);
  std::string line;
  std::string answer;
  int lines = 0;
  while (std::getline(pairs, line) && std::getline(answers, answer)) {
    const size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << "line " << lines + 1;
    EXPECT_EQ(resolve(line.substr(0, tab), line.substr(tab + 1)), answer) << line;
    ++lines;
  }
  EXPECT_GE(lines, 2000);
}

TEST(ParseUrl, GivesThePlacesOfTheParts) {
  Url url;
  ASSERT_TRUE(parse_url("https://user:pw@Example.ORG:8080/a/b?q=1#f", nullptr, url));
  EXPECT_EQ(url.href, "https://example.org:8080/a/b?q=1");
  EXPECT_EQ(url.host(), "example.org");
  EXPECT_EQ(url.href.substr(url.path_begin, url.query_begin - url.path_begin), "/a/b");
  EXPECT_EQ(url.href.substr(url.query_begin), "?q=1");

  ASSERT_TRUE(parse_url("http://h", nullptr, url));
  EXPECT_EQ(url.href, "http://h/");
  EXPECT_EQ(url.query_begin, url.href.size());
}

TEST(ParseUrl, ResolvesRelativeReferences) {
  const std::string base = "http://a/b/c/d;p?q";  // the examples of RFC 3986, section 5.4
  EXPECT_EQ(resolve(base, "g"), "http://a/b/c/g");
  EXPECT_EQ(resolve(base, "./g"), "http://a/b/c/g");
  EXPECT_EQ(resolve(base, "g/"), "http://a/b/c/g/");
  EXPECT_EQ(resolve(base, "/g"), "http://a/g");
  EXPECT_EQ(resolve(base, "//g"), "http://g/");
  EXPECT_EQ(resolve(base, "?y"), "http://a/b/c/d;p?y");
  EXPECT_EQ(resolve(base, "g?y"), "http://a/b/c/g?y");
  EXPECT_EQ(resolve(base, "#s"), "http://a/b/c/d;p?q");
  EXPECT_EQ(resolve(base, ""), "http://a/b/c/d;p?q");
  EXPECT_EQ(resolve(base, "."), "http://a/b/c/");
  EXPECT_EQ(resolve(base, ".."), "http://a/b/");
  EXPECT_EQ(resolve(base, "../g"), "http://a/b/g");
  EXPECT_EQ(resolve(base, "../../../g"), "http://a/g");
  EXPECT_EQ(resolve(base, "./g/."), "http://a/b/c/g/");
  EXPECT_EQ(resolve(base, "g;x=1/../y"), "http://a/b/c/y");
  EXPECT_EQ(resolve(base, "http:g"), "http://a/b/c/g");
  EXPECT_EQ(resolve(base, "https:g"), "https://g/");
  EXPECT_EQ(resolve("http://a/?", "#x"), "http://a/?");
}

TEST(ParseUrl, RemovesTabsNewlinesAndControls) {
  EXPECT_EQ(canonical("\x01 \nht\ntp://e\r\nxample.org/\ta\n\x1f"), "http://example.org/a");
}

TEST(ParseUrl, ReadsAddresses) {
  EXPECT_EQ(canonical("http://0x7f.1/"), "http://127.0.0.1/");
  EXPECT_EQ(canonical("http://0300.0250.257"), "http://192.168.1.1/");
  EXPECT_EQ(canonical("http://4294967295"), "http://255.255.255.255/");
  EXPECT_EQ(canonical("http://4294967296"), "-");
  EXPECT_EQ(canonical("http://99999999999999999999999"), "-");
  EXPECT_EQ(canonical("http://1.2.3.4.5"), "-");
  EXPECT_EQ(canonical("http://[1:0:0:2:0:0:0:3]"), "http://[1:0:0:2::3]/");
  EXPECT_EQ(canonical("http://[0:0:0:0:0:0:0:0]"), "http://[::]/");
  EXPECT_EQ(canonical("http://[::1:2:3:4:5:6:7]"), "http://[0:1:2:3:4:5:6:7]/");
  EXPECT_EQ(canonical("http://[::1:2:3:4:5:6:7:8]"), "-");
  EXPECT_EQ(canonical("http://[1::2::3]"), "-");
  EXPECT_EQ(canonical("http://[::ffff:1.2.3.4]"), "http://[::ffff:102:304]/");
}

TEST(ParseUrl, RefusesWhatIsNoWebPage) {
  for (const auto* input : {"", "mailto:x@y.z", "javascript:void(0)", "ftp://h/", "/a", "http://",
                            "http://u@", "http://h:65536", "http://h:8o", "http://a b/",
                            "http://xn--a/", "http://[::1", "http://%", "http://a\xff/"}) {
    EXPECT_EQ(canonical(input), "-") << input;
  }
}

TEST(ParseUrl, BoundsTheLengthOfInternationalHosts) {
  std::string labels;
  for (int i = 0; i < 100; ++i) labels += "\xc3\xbc.";
  EXPECT_NE(canonical("http://" + labels + "org/"), "-");
  for (int i = 0; i < 100000; ++i) labels += "\xc3\xbc.";
  EXPECT_EQ(canonical("http://" + labels + "org/"), "-");
}

TEST(ParseUrl, TakesInvalidUtf8AndLongInput) {
  EXPECT_EQ(canonical("http://h/\xff\x80"), "http://h/%FF%80");
  std::string dots = "http://h";
  for (int i = 0; i < 1000; ++i) dots += i % 3 == 0 ? "/.." : "/a";
  EXPECT_TRUE(canonical(dots).starts_with("http://h/a/"));
}

TEST(ParseUrl, BoundsTheLengthOfUrls) {
  const std::string longest = "http://h/" + std::string(max_url_bytes - 9, 'a');
  EXPECT_EQ(canonical(longest), longest);
  EXPECT_EQ(canonical(longest + "#" + std::string(max_url_bytes, 'f')), longest);
  EXPECT_EQ(canonical(" \n" + longest + "\t\t "), longest);
  EXPECT_EQ(canonical(longest + "a"), "-");
  EXPECT_EQ(canonical("http://h/" + std::string(max_url_bytes / 2, '\xe9')), "-");
  Url base;
  Url out;
  ASSERT_TRUE(parse_url(longest, nullptr, base));
  EXPECT_FALSE(parse_url("?b", &base, out));
  EXPECT_TRUE(parse_url("b", &base, out));
}

TEST(HostOf, IsTheHostWithoutPort) {
  EXPECT_EQ(host_of("https://example.org:81/a:b@c"), "example.org");
  EXPECT_EQ(host_of("http://[::1]:8/"), "[::1]");
  EXPECT_EQ(host_of("http://a"), "a");
  EXPECT_EQ(host_of("no url"), "");
}

rc::Gen<std::string> hrefs() {
  const auto token = rc::gen::element<std::string>(
      "http:", "https:", "//", "/", "\\", "..", ".", "%2e", "?", "#", "@", ":", "80", "8080", "a",
      "B", "example.org", "xn--n3h", "\xc3\xbc", "127.1", "0x7f", "[::1]", "%41", " ", "\t", "\"",
      "<", "'", "|", ",", "!", "\x7f", "\xff");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(token), [](const auto& tokens) {
    std::string href;
    for (const auto& part : tokens) href += part;
    return href;
  });
}

RC_GTEST_PROP(ParseUrlProperty, CanonicalFormIsAFixedPoint, ()) {
  const std::string once = resolve("https://base.example/x/y?z", *hrefs());
  if (once != "-") RC_ASSERT(canonical(once) == once);
}

RC_GTEST_PROP(ParseUrlProperty, OutputDoesNotDependOnWhatWasThere, ()) {
  const std::string href = *hrefs();
  Url used;
  (void)parse_url("http://something.long.example/with/a/path?and=query", nullptr, used);
  Url base;
  RC_ASSERT(parse_url("http://h/p/q", nullptr, base));
  Url fresh;
  const bool is_url = parse_url(href, &base, fresh);
  RC_ASSERT(parse_url(href, &base, used) == is_url);
  if (!is_url) return;
  const auto fields = [](const Url& url) {
    return std::tie(url.href, url.host_begin, url.host_end, url.path_begin, url.query_begin);
  };
  RC_ASSERT(fields(fresh) == fields(used));
  RC_ASSERT(host_of(fresh.href) == fresh.host());
  RC_ASSERT(fresh.href[fresh.path_begin] == '/');
  RC_ASSERT(fresh.query_begin == std::min(fresh.href.find('?'), fresh.href.size()));
}

TEST(ParseUrlOrName, ANameHasNoHost) {
  Url url;
  ASSERT_TRUE(parse_url_or_name("music-1", url));
  EXPECT_EQ(url.href, "music-1");
  EXPECT_EQ(url.host(), "");
  Url link;
  EXPECT_FALSE(parse_url("/a", &url, link));
  EXPECT_TRUE(parse_url("https://a.b/c", &url, link));
  EXPECT_EQ(link.href, "https://a.b/c");
  ASSERT_TRUE(parse_url_or_name("HTTP://A.b", url));
  EXPECT_EQ(url.href, "http://a.b/");
  EXPECT_FALSE(parse_url_or_name("", url));
  EXPECT_FALSE(parse_url_or_name("http://[", url));
  EXPECT_FALSE(parse_url_or_name(std::string(max_url_bytes + 1, 'x'), url));
}

}  // namespace
}  // namespace kith::text
