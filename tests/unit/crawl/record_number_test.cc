// Page::record: the number of a page's record in its file, whatever else lies between.
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crawl/read/records.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::Pair;

using Numbers = std::vector<std::pair<uint32_t, uint64_t>>;

// File and record of every page and redirect.
Numbers numbers_of(const CrawlOptions& options) {
  Result<PageReader> reader = PageReader::open(options, {});
  if (!reader) {
    ADD_FAILURE() << reader.error().message;
    return {};
  }
  Numbers numbers;
  for (PageBatch batch; reader->next(batch).value();) {
    for (const Page& page : batch.pages) numbers.emplace_back(page.file, page.record);
  }
  return numbers;
}

std::string moved(std::string_view url) {
  return warc_record("response", url, "application/http",
                     "HTTP/1.1 301 Moved\r\nLocation: http://a/9\r\n\r\n");
}

TEST(RecordNumber, CountsRecordsThatAreNoPages) {
  const TempDir dir;
  const std::vector<std::string> records = {
      warc_record("warcinfo", "", "application/warc-fields", "software: x"),
      warc_page("http://a/1", "<p>1"),
      warc_record("request", "http://a/2", "application/http", "GET / HTTP/1.1\r\n\r\n"),
      warc_page("http://a/2", ""),
      moved("http://a/3"),
      warc_page("http://a/4", "<p>4"),
  };
  std::string plain, members;
  for (const std::string& record : records) {
    plain += record;
    members += gzip(record);
  }
  write_file(dir / "a.warc", plain);
  write_file(dir / "b.warc.gz", members);
  write_file(dir / "c.warc.zst", zstd(plain));
  EXPECT_THAT(numbers_of({.inputs = {dir.path()}}),
              ElementsAre(Pair(0, 1), Pair(0, 4), Pair(0, 5), Pair(1, 1), Pair(1, 4), Pair(1, 5),
                          Pair(2, 1), Pair(2, 4), Pair(2, 5)));
}

TEST(RecordNumber, CountsDamagedRecordsWithAHeadAndNoBytesBetween) {
  const TempDir dir;
  std::string broken = gzip(warc_page("http://a/2", std::string(5000, 'x')));
  broken[broken.size() - 6] ^= 1;  // the checksum
  write_file(dir / "a.warc.gz", gzip(warc_page("http://a/1", "<p>1")) + broken + "garbage" +
                                    gzip(warc_page("http://a/3", "<p>3")));
  EXPECT_THAT(numbers_of({.inputs = {dir / "a.warc.gz"}}), ElementsAre(Pair(0, 0), Pair(0, 2)));
}

TEST(RecordNumber, CountsRecordsOfArc) {
  const TempDir dir;
  const std::string http = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
  write_file(dir / "a.arc", arc_record("filedesc://a.arc", "1 0 x\n") +
                                arc_record("dns:a.example", "1.2.3.4") +
                                arc_record("http://a.example/", http));
  EXPECT_THAT(numbers_of({.inputs = {dir / "a.arc"}}), ElementsAre(Pair(0, 2)));
}

TEST(RecordNumber, IsTheLineOfJsonl) {
  const TempDir dir;
  const std::string good = "{\"url\": \"http://a/\", \"html\": \"x\"}\n";
  write_file(dir / "a.jsonl", "\xef\xbb\xbf" + good + "\n" + "{broken\n" + good + "{}\n" + good);
  EXPECT_THAT(numbers_of({.inputs = {dir / "a.jsonl"}}),
              ElementsAre(Pair(0, 0), Pair(0, 3), Pair(0, 5)));
}

TEST(RecordNumber, IsNoughtInAFolderOfHtml) {
  const TempDir dir;
  write_file(dir / "a.html", "<p>a");
  write_file(dir / "b.html", "<p>b");
  EXPECT_THAT(numbers_of({.inputs = {dir.path()}, .base_url = "https://a.example"}),
              ElementsAre(Pair(0, 0), Pair(1, 0)));
}

// What comes of lines with notes: a letter a page, in capitals for a removal, and its time.
std::string notes_of(const CrawlOptions& options, CrawlReport& report) {
  Result<PageReader> reader = PageReader::open(options, {});
  EXPECT_TRUE(reader.is_ok());
  std::string notes;
  for (PageBatch batch; reader->next(batch).value();) {
    for (const Page& page : batch.pages) {
      notes += page.kind == PageKind::removal ? "-" : "+";
      notes += page.url;
      if (page.time != no_time) notes += "@" + std::to_string(page.time);
      notes += " ";
    }
  }
  report = reader->report();
  return notes;
}

TEST(Notes, AreReadOfJsonLinesWhereTheyAreAskedFor) {
  const TempDir dir;
  write_file(dir / "a.jsonl",
             "{\"url\": \"a\", \"text\": \"x\", \"time\": 1.5}\n"
             "{\"url\": \"b\", \"deleted\": true, \"time\": \"1970-01-02\"}\n"
             "{\"url\": \"c\", \"deleted\": false}\n"
             "{\"url\": \"d\", \"text\": \"x\", \"time\": \"soon\"}\n"
             "{\"id\": 7, \"text\": \"x\", \"time\": null, \"deleted\": 1}\n");
  CrawlReport report;
  CrawlOptions options{.inputs = {dir / "a.jsonl"}, .nameless = true, .notes = true};
  EXPECT_EQ(notes_of(options, report), "+a@1500 -b@86400000 +7 ");
  EXPECT_EQ(report.skipped[static_cast<size_t>(Skip::damaged)], 2u);
  EXPECT_EQ(report.skipped[static_cast<size_t>(Skip::empty)], 0u);
  EXPECT_EQ(report.pages, 2u);
  options.notes = false;
  // Documents without text are documents.
  EXPECT_EQ(notes_of(options, report), "+a@1500 +b@86400000 +c +d +7 ");
  EXPECT_EQ(report.skipped[static_cast<size_t>(Skip::damaged)], 0u);
  EXPECT_EQ(report.skipped[static_cast<size_t>(Skip::empty)], 0u);
  options.nameless = false;
  EXPECT_EQ(notes_of(options, report), "+a@1500 +d +7 ");
  EXPECT_EQ(report.skipped[static_cast<size_t>(Skip::empty)], 2u);
}

TEST(Time, IsReadAsSecondsOrAsADate) {
  EXPECT_EQ(parse_time("0"), 0);
  EXPECT_EQ(parse_time("-1.5"), -1500);
  EXPECT_EQ(parse_time("1.7e9"), 1'700'000'000'000);
  EXPECT_EQ(parse_time("1970-01-01"), 0);
  EXPECT_EQ(parse_time("2026-11-24T12:00:00Z"), 1'795'521'600'000);
  EXPECT_EQ(parse_time("2026-11-24 13:00:00.25+01:00"), 1'795'521'600'250);
  EXPECT_EQ(parse_time("2026-11-24t12:00"), 1'795'521'600'000);
  EXPECT_EQ(parse_time("2026-11-24T12:00:00,123456789-00:30"), 1'795'523'400'123);
  for (const char* wrong :
       {"", "x", "1e300", "nan", "inf", "2026", "2026-13-01", "2026-02-30", "2026-11-24T25:00Z",
        "2026-11-24T12:60Z", "2026-11-24T12:00:61Z", "2026-11-24T12:00:00.Z", "2026-11-24T",
        "2026-11-24T12:00:00+1", "2026-11-24T12:00:00Zx", "2026-11-24x", "-9e12"}) {
    const bool is_year = std::string_view(wrong) == "2026";
    EXPECT_EQ(parse_time(wrong).has_value(), is_year) << wrong;
  }
}

}  // namespace
}  // namespace kith::crawl::test
