#include "synthetic/crawl_stream.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace kith::synthetic {
namespace {

std::string shard_of(const CrawlOptions& options, uint64_t shard, uint64_t shards) {
  CrawlStream stream(options, shard, shards);
  std::string bytes;
  while (stream.next(bytes)) {
  }
  return bytes;
}

struct Record {
  std::string url;
  std::string status;  // the second word of the block
  std::string body;    // what follows the HTTP head
};

std::string_view value_of(std::string_view head, std::string_view field) {
  const size_t at = head.find(field);
  EXPECT_NE(at, std::string_view::npos) << field << " in " << head;
  const std::string_view rest = head.substr(at + field.size());
  return rest.substr(0, rest.find("\r\n"));
}

// Cuts WARC by nothing but the lengths of the records.
std::vector<Record> records_of(std::string_view bytes) {
  std::vector<Record> records;
  while (!bytes.empty()) {
    EXPECT_TRUE(bytes.starts_with("WARC/1.0\r\n")) << bytes.substr(0, 80);
    const size_t head_size = bytes.find("\r\n\r\n");
    const std::string_view head = bytes.substr(0, head_size);
    const size_t size = std::stoull(std::string(value_of(head, "\r\nContent-Length: ")));
    const std::string_view block = bytes.substr(head_size + 4, size);
    EXPECT_EQ(bytes.substr(head_size + 4 + size, 4), "\r\n\r\n");
    bytes.remove_prefix(head_size + size + 8);
    if (value_of(head, "WARC-Type: ") != "response") continue;
    records.push_back({std::string(value_of(head, "WARC-Target-URI: ")),
                       std::string(block.substr(9, 3)),
                       std::string(block.substr(block.find("\r\n\r\n") + 4))});
  }
  return records;
}

TEST(CrawlStream, ShardsOneAfterTheOtherAreTheCrawl) {
  const CrawlOptions options{.pages = 61, .words = 50};
  const std::string whole = shard_of(options, 1, 1);
  for (const uint64_t shards : {2u, 7u, 61u, 100u}) {
    std::string all;
    for (uint64_t shard = 1; shard <= shards; ++shard) all += shard_of(options, shard, shards);
    EXPECT_EQ(all, whole) << shards;
  }
}

TEST(CrawlStream, NoPageAndOne) {
  EXPECT_TRUE(records_of(shard_of({.pages = 0}, 1, 1)).empty());
  const auto one = records_of(shard_of({.pages = 1, .redirect_share = 0}, 1, 1));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].status, "200");
}

TEST(CrawlStream, AnotherSeedIsAnotherCrawl) {
  EXPECT_NE(shard_of({.pages = 20}, 1, 1), shard_of({.pages = 20, .seed = 2}, 1, 1));
}

TEST(CrawlStream, CountsWhatItWrites) {
  const CrawlOptions options{.pages = 500, .words = 100, .redirect_share = 0.3};
  CrawlStream stream(options, 1, 1);
  std::string bytes;
  while (stream.next(bytes)) {
  }
  std::set<std::string> urls;
  std::map<std::string, uint64_t> statuses;
  uint64_t links = 0;
  uint64_t page_bytes = 0;
  for (const Record& record : records_of(bytes)) {
    EXPECT_TRUE(urls.insert(record.url).second) << record.url;
    ++statuses[record.status];
    page_bytes += record.body.size();
    for (size_t at = 0; (at = record.body.find("<a ", at)) != std::string::npos; ++at) ++links;
  }
  EXPECT_EQ(statuses["200"], options.pages);
  EXPECT_EQ(stream.counts().pages, options.pages);
  EXPECT_EQ(stream.counts().redirects, statuses["301"]);
  EXPECT_GT(statuses["301"], 100u);
  EXPECT_EQ(stream.counts().records, urls.size() + 1);  // and the warcinfo
  EXPECT_EQ(stream.counts().links, links);
  EXPECT_EQ(stream.counts().page_bytes, page_bytes);
}

TEST(CrawlStream, DuplicatesHaveTheSameBytes) {
  const CrawlOptions options{
      .pages = 2000, .words = 50, .duplicate_share = 0.2, .near_share = 0, .family_share = 0};
  std::set<std::string> bodies;
  for (const Record& record : records_of(shard_of(options, 1, 1))) {
    if (record.status == "200") bodies.insert(record.body);
  }
  EXPECT_LT(bodies.size(), 1750u);
  EXPECT_GT(bodies.size(), 1500u);
}

TEST(PageWriter, NearDuplicatesAndFamiliesHaveTheTextOfAnotherPage) {
  const PageWriter pages({.pages = 5000, .near_share = 0.5, .family_share = 0.1});
  uint32_t near = 0;
  uint32_t of_families = 0;
  for (uint64_t page = 0; page < 5000; ++page) {
    const Place place = pages.sites().place(page);
    const PageContent content = pages.content(place);
    EXPECT_LE(pages.sites().page(content.source), page);
    EXPECT_EQ(content.frame.site, place.site);
    if (content.change > 0) {
      ++near;
    } else {
      EXPECT_EQ(content.source.site, place.site);
    }
    of_families += content.source == Place{place.site, 1} ? 1 : 0;
  }
  EXPECT_GT(near, 2000u);
  EXPECT_GT(of_families, 200u);
}

TEST(CrawlSites, PagesHavePlacesAndAddresses) {
  const CrawlSites sites({.pages = 3000, .unfetched = 0.5});
  std::set<std::string> urls;
  for (uint64_t page = 0; page < 3000; ++page) {
    const Place place = sites.place(page);
    EXPECT_EQ(sites.page(place), page);
    EXPECT_LT(place.number, sites.pages(place.site));
    EXPECT_GE(sites.linked(place.site), sites.pages(place.site));
    std::string url;
    sites.add_origin(place.site, url);
    sites.add_path(place, url);
    EXPECT_TRUE(urls.insert(url).second) << url;
  }
}

TEST(CrawlOptions, RefusesWhatIsOutOfRange) {
  EXPECT_TRUE(validate(CrawlOptions{}));
  for (const CrawlOptions& bad :
       {CrawlOptions{.pages = 200'000'000}, CrawlOptions{.words = 0}, CrawlOptions{.unfetched = 11},
        CrawlOptions{.duplicate_share = -0.1}, CrawlOptions{.redirect_share = 2},
        CrawlOptions{.duplicate_share = 0.6, .near_share = 0.6}}) {
    const Status status = validate(bad);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace kith::synthetic
