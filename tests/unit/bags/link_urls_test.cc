#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bags/url_groups.h"

namespace kith::bags {
namespace {

std::string url_at(const LinkUrls& urls, size_t i) {
  std::string url = "what stood there before";
  urls.read(i, url);
  return url;
}

TEST(LinkUrls, GivesBackWhatWasAdded) {
  LinkUrls urls;
  urls.reset("https://a.example/long/path/");
  const std::vector<std::string> added = {"https://a.example/long/path/1", "https://a.example/",
                                          "https://a.example/long/path/", "http://b.example/", ""};
  for (const std::string& url : added) urls.add(url);
  ASSERT_EQ(urls.size(), added.size());
  for (size_t i = 0; i < added.size(); ++i) EXPECT_EQ(url_at(urls, i), added[i]);
  EXPECT_EQ(urls.parts(0).rest, "1");
  EXPECT_EQ(urls.parts(1).shared, 18u);
  urls.reset("");
  EXPECT_EQ(urls.size(), 0u);
  urls.add("https://c.example/");
  EXPECT_EQ(url_at(urls, 0), "https://c.example/");
}

TEST(LinkUrls, SharesPrefixesOfEveryLength) {
  const std::string base(200, 'b');
  LinkUrls urls;
  urls.reset(base);
  for (size_t shared = 0; shared <= base.size(); ++shared) {
    urls.add(base.substr(0, shared) + "x");
    EXPECT_EQ(urls.parts(shared).shared, shared);
    EXPECT_EQ(urls.parts(shared).rest, "x");
  }
  urls.add(base.substr(0, 130));
  EXPECT_EQ(urls.parts(base.size() + 1).shared, 130u);
}

RC_GTEST_PROP(LinkUrls, GivesBackAnything, (std::string base, std::vector<std::string> added)) {
  LinkUrls urls;
  urls.reset(base);
  for (const std::string& url : added) urls.add(base.substr(0, url.size()) + url);
  for (size_t i = 0; i < added.size(); ++i) {
    RC_ASSERT(url_at(urls, i) == base.substr(0, added[i].size()) + added[i]);
  }
}

}  // namespace
}  // namespace kith::bags
