// What is kept of an address in markup gives the URL that the whole value gives.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "text/html/attributes.h"
#include "text/html/html.h"
#include "text/url/url.h"

namespace kith::text {
namespace {

std::string many(size_t n, const std::string& what) {
  std::string all;
  for (size_t i = 0; i < n; ++i) all += what;
  return all;
}

TEST(Address, GivesTheUrlOfTheWholeValue) {
  const std::string url = "http://a.example/";
  const std::vector<std::string> values{
      url,
      many(9000, " ") + url,
      many(9000, "\t \n") + url + many(9000, " \r\n"),
      url + many(9000, "\n") + "page",
      url + many(9000, "&#10;") + "page" + many(9000, "&Tab;"),
      url + "#" + many(9000, "x"),
      url + "&#35;" + many(9000, "x"),
      url + many(9000, "x"),
      url + many(9000, "x") + "#" + many(10, "y"),
      url + many(max_url_bytes - url.size(), "x"),
      url + many(max_url_bytes - url.size(), "x") + many(100, " "),
      url + many(max_url_bytes - url.size(), "x") + many(100, " ") + "x",
      url + many(max_url_bytes - url.size() - 3, "x") + many(100, " ") + "x",
      url + many(max_url_bytes - url.size() + 1, "x"),
      url + many(9000, "\xC3\xA9"),
      url + many(9000, "&eacute;"),
      url + many(2000, "&#0000000000000097;"),
      many(20000, " "),
      many(20000, std::string(1, '\0')),
  };
  for (const std::string& raw : values) {
    std::string whole;
    append_attribute_value(raw, whole);
    std::string kept = "before";
    append_address(raw, max_url_bytes, kept);
    kept.erase(0, 6);
    EXPECT_LE(kept.size(), max_url_bytes + 4);
    Url of_whole;
    Url of_kept;
    const bool is_url = parse_url(whole, nullptr, of_whole);
    EXPECT_EQ(parse_url(kept, nullptr, of_kept), is_url) << raw.substr(0, 40);
    if (is_url) {
      EXPECT_EQ(of_kept.href, of_whole.href) << raw.substr(0, 40);
    }
  }
}

TEST(Address, PagesKeepLittleOfLongOnes) {
  const std::string long_value = many(1 << 20, "\xC3\xA9");
  HtmlText page;
  extract_html("<base href=\"" + long_value + "\"><link rel=canonical href=\"" + long_value +
                   "\"><meta http-equiv=refresh content=\"0;url=" + long_value + "\"><a href=\"" +
                   long_value + "\">x</a>",
               page);
  EXPECT_LT(page.hrefs.size(), 2 * max_url_bytes);
  EXPECT_LT(page.base_href.size(), 2 * max_url_bytes);
  EXPECT_LT(page.canonical.size(), 2 * max_url_bytes);
  EXPECT_LT(page.refresh.size(), 2 * max_url_bytes);
  ASSERT_EQ(page.links.size(), 1u);
}

}  // namespace
}  // namespace kith::text
