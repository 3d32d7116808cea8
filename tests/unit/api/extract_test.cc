// extract() beside what `kith crawl` says of the same pages.
#include "kith/extract.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/pages.h"

#include "run/pages.h"
#include "unit/api/sample.h"

namespace kith::api {
namespace {

struct RawPage {
  std::string url;
  std::string body;
  std::string content_type;
};

std::vector<RawPage> raw_pages() {
  PageKeys keys;
  auto reader = run::open_pages(test::sample_options(), keys);
  EXPECT_TRUE(reader.is_ok());
  std::vector<RawPage> pages;
  crawl::PageBatch batch;
  while (*reader->next(batch) || !batch.pages.empty()) {
    for (const crawl::Page& page : batch.pages) {
      if (page.kind == crawl::PageKind::redirect) continue;
      std::string type(page.media_type);
      if (!page.charset.empty()) type += "; charset=" + std::string(page.charset);
      pages.push_back({std::string(page.url), std::string(page.body), type});
    }
    batch.pages.clear();
  }
  return pages;
}

TEST(Extract, SaysOfEveryPageWhatCrawlSays) {
  const std::vector<RawPage> raw = raw_pages();
  std::vector<PageBytes> bytes;
  for (const RawPage& page : raw) bytes.push_back({page.body, page.url, page.content_type});
  const auto pages = extract(bytes, {}, 2);
  ASSERT_TRUE(pages.is_ok());
  std::map<std::string, const ExtractedPage*> by_url;
  for (size_t i = 0; i < raw.size(); ++i) {
    ASSERT_TRUE((*pages)[i].is_ok()) << (*pages)[i].error().message;
    by_url[raw[i].url] = &(*pages)[i].value();
  }
  size_t rows = 0;
  const auto listed = list_pages(test::sample_options(), [&](const PageRow& row) {
    ++rows;
    const ExtractedPage& page = *by_url.at(std::string(row.url));
    EXPECT_EQ(page.media_type, row.type) << row.url;
    EXPECT_EQ(page.charset, row.charset) << row.url;
    EXPECT_EQ(page.language, row.language) << row.url;
    EXPECT_EQ(page.word_count, row.words) << row.url;
    EXPECT_EQ(page.links.size(), row.links) << row.url;
    return true;
  });
  ASSERT_TRUE(listed.is_ok());
  EXPECT_GT(rows, 10u);
  EXPECT_EQ(rows, raw.size());
}

TEST(Extract, ReadsTextTitleWordsAndLinks) {
  const auto page =
      extract({.bytes = "<html lang=de><title>Über uns</title><base href='/a/'>"
                        "<p>Hello <a href='b?x=1&amp;y=2'>my World</a><script>no</script>",
               .url = "https://Example.org/start",
               .content_type = "Text/HTML; charset=utf-8"});
  ASSERT_TRUE(page.is_ok());
  EXPECT_EQ(page->title, "Über uns");
  EXPECT_EQ(page->text, "Hello my World");
  EXPECT_EQ(page->charset, "UTF-8");
  EXPECT_EQ(page->media_type, "Text/HTML");
  ASSERT_EQ(page->words.size(), 3u);
  EXPECT_EQ(page->words[0], "hello");
  EXPECT_EQ(page->words[2], "world");
  EXPECT_EQ(page->text.substr(page->words.places[2], 5), "World");
  EXPECT_EQ(page->word_count, 5u);
  ASSERT_EQ(page->links.size(), 1u);
  EXPECT_EQ(page->links[0].href, "b?x=1&y=2");
  EXPECT_EQ(page->links[0].url, "https://example.org/a/b?x=1&y=2");
  const PageLink& link = page->links[0];
  EXPECT_EQ(page->text.substr(link.text_begin, link.text_end - link.text_begin), "my World");
}

TEST(Extract, TakesWhatHasNoTypeForWhatItBeginsWith) {
  EXPECT_EQ(extract({.bytes = " <p>a</p>"})->media_type, "text/html");
  EXPECT_EQ(extract({.bytes = "a < b"})->media_type, "text/plain");
  EXPECT_EQ(extract({.bytes = ""})->text, "");
  EXPECT_EQ(extract({.bytes = "a <b>", .content_type = "text/plain"})->text, "a <b>");
}

TEST(Extract, LinksWithoutABaseStayAsWritten) {
  const auto page = extract({.bytes = "<a href=/x>a</a><a href=http://b.org>b</a>"});
  ASSERT_EQ(page->links.size(), 2u);
  EXPECT_EQ(page->links[0].url, "");
  EXPECT_EQ(page->links[0].href, "/x");
  EXPECT_EQ(page->links[1].url, "http://b.org/");
}

TEST(Extract, OneBadPageIsItsOwnError) {
  const std::vector<PageBytes> pages = {{"x", "", "image/png"}, {"text", "", ""}};
  const auto outcomes = extract(pages, {}, 2);
  ASSERT_TRUE(outcomes.is_ok());
  ASSERT_FALSE((*outcomes)[0].is_ok());
  EXPECT_EQ((*outcomes)[0].error().kind, ErrorKind::usage);
  EXPECT_NE((*outcomes)[0].error().message.find("image/png"), std::string::npos);
  EXPECT_EQ((*outcomes)[1]->text, "text");
  EXPECT_FALSE(extract(pages, {.language = "klingon"}).is_ok());
  EXPECT_TRUE(extract(std::vector<PageBytes>())->empty());
}

TEST(Extract, WithoutWordsCountsThemAllTheSame) {
  const auto page = extract({.bytes = "one two"}, {.words = false});
  EXPECT_EQ(page->words.size(), 0u);
  EXPECT_EQ(page->word_count, 2u);
}

TEST(Extract, TermsAreStemsWithoutStopWords) {
  const auto terms = split_terms("The houses of the rising suns", "en");
  ASSERT_TRUE(terms.is_ok());
  ASSERT_EQ(terms->size(), 3u);
  EXPECT_EQ((*terms)[0], "hous");
  EXPECT_EQ(terms->places[0], 4u);
  EXPECT_EQ(split_terms("houses", "other")->bytes, "houses");
  EXPECT_EQ(split_terms("tylko domy", "pl")->bytes, "domy");
  EXPECT_FALSE(split_terms("houses", "klingon").is_ok());
  EXPECT_EQ(split_words("")->size(), 0u);
}

}  // namespace
}  // namespace kith::api
