// PageReader beside `kith crawl`.
#include "kith/pages.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "unit/api/sample.h"

namespace kith::api {
namespace {

TEST(PageReader, GivesThePagesThatCrawlLists) {
  auto reader = PageReader::open(test::sample_options());
  ASSERT_TRUE(reader.is_ok());
  const auto counts = list_pages(test::sample_options(), [&](const PageRow& row) {
    const auto page = reader->next();
    EXPECT_TRUE(page.is_ok() && page->has_value());
    if (!page || !*page) return false;
    EXPECT_EQ((*page)->url, row.url);
    EXPECT_EQ((*page)->status, row.status);
    EXPECT_EQ((*page)->media_type, row.type);
    EXPECT_EQ((*page)->charset, row.charset);
    EXPECT_EQ((*page)->language, row.language);
    EXPECT_EQ((*page)->word_count, row.words);
    EXPECT_EQ((*page)->links.size(), row.links);
    return true;
  });
  ASSERT_TRUE(counts.is_ok());
  for (int i = 0; i < 2; ++i) {  // the end stays the end
    const auto end = reader->next();
    ASSERT_TRUE(end.is_ok());
    EXPECT_FALSE(end->has_value());
  }
  EXPECT_EQ(reader->counts().pages, counts->pages);
  EXPECT_EQ(reader->bytes_done(), reader->bytes_total());
}

TEST(PageReader, SurvivesBeingMoved) {
  auto opened = PageReader::open(test::sample_options(), false);
  ASSERT_TRUE(opened.is_ok());
  const auto first = opened->next();
  PageReader moved = std::move(opened).value();
  const auto second = moved.next();
  ASSERT_TRUE(second.is_ok() && second->has_value());
  EXPECT_NE((*first)->url, (*second)->url);
  EXPECT_EQ((*second)->words.size(), 0u);
  EXPECT_GT((*second)->word_count, 0u);
}

TEST(PageReader, ReportsWhatCannotBeRead) {
  EXPECT_EQ(PageReader::open({}).error().kind, ErrorKind::usage);
  ReadOptions missing;
  missing.inputs = {"no-such-file.warc"};
  EXPECT_FALSE(PageReader::open(missing).is_ok());
  const test::TempDir dir;
  test::write_file(dir / "broken.jsonl", "{\"url\": \"http://a.org/\", \"text\": \"a\"}\nbroken\n");
  ReadOptions strict;
  strict.inputs = {dir / "broken.jsonl"};
  strict.strict = true;
  auto reader = PageReader::open(strict);
  ASSERT_TRUE(reader.is_ok());
  auto page = reader->next();
  while (page.is_ok() && page->has_value()) page = reader->next();
  EXPECT_EQ(page.error().kind, ErrorKind::corrupt);
  EXPECT_FALSE(reader->next()->has_value());
}

}  // namespace
}  // namespace kith::api
