// Whole WARC and ARC files, real and made.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crawl/read/unpacked_stream.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::read_file;
using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;

struct Unpacked {
  std::string all;
  std::vector<std::string> members;
};

// The file without its compression, whole and member by member.
Unpacked unpack(const std::string& path) {
  Unpacked result;
  auto source = FileSource::open(path);
  EXPECT_TRUE(source.is_ok());
  auto stream = UnpackedStream::open(std::move(source).value(), std::nullopt);
  EXPECT_TRUE(stream.is_ok());
  while (stream->fill().value()) {
    while (!stream->window().empty()) {
      if (stream->at_member_start()) result.members.emplace_back();
      const size_t n = std::min(stream->window().size(), stream->until_next_member());
      result.members.back() += stream->window().substr(0, n);
      stream->consume(n);
    }
  }
  EXPECT_EQ(stream->problem(), "");
  for (const std::string& member : result.members) result.all += member;
  return result;
}

TEST(Warc, RealFilesHoldTheExpectedPages) {
  std::ifstream table(warc_data("expected.tsv"));
  std::string line;
  std::getline(table, line);
  ASSERT_EQ(line, "file\thtml\ttext\tdamaged");
  int files = 0;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string file;
    int64_t html = 0;
    int64_t text = 0;
    uint64_t damaged = 0;
    fields >> file >> html >> text >> damaged;
    SCOPED_TRACE(file);
    const Crawl crawl = read_file_as_crawl(warc_data(file));
    EXPECT_EQ(std::ranges::count(crawl.pages, PageKind::html, &OwnedPage::kind), html);
    EXPECT_EQ(std::ranges::count(crawl.pages, PageKind::text, &OwnedPage::kind), text);
    EXPECT_EQ(crawl.skipped(Skip::damaged), damaged);
    EXPECT_EQ(crawl.report.bytes_in, read_file(warc_data(file)).size());
    ++files;
  }
  EXPECT_EQ(files, 24);
}

TEST(Warc, PlainGzipAndZstdTwinsAreEqual) {
  const std::string path = warc_data("chatnoir-resiliparse/warcfile.warc.gz");
  const Crawl original = read_file_as_crawl(path);
  ASSERT_EQ(original.pages.size(), 16u);
  const Unpacked unpacked = unpack(path);
  EXPECT_EQ(unpacked.members.size(), original.report.records);
  std::string frames;
  for (const std::string& member : unpacked.members) frames += zstd(member);

  const TempDir dir;
  write_file(dir / "plain.warc", unpacked.all);
  write_file(dir / "one.warc.gz", gzip(unpacked.all));
  write_file(dir / "one.warc.zst", zstd(unpacked.all));
  write_file(dir / "many.warc.zst", frames);
  for (const char* name : {"plain.warc", "one.warc.gz", "one.warc.zst", "many.warc.zst"}) {
    SCOPED_TRACE(name);
    const Crawl twin = read_file_as_crawl(dir / name);
    EXPECT_EQ(twin.pages, original.pages);
    EXPECT_EQ(twin.report.records, original.report.records);
    EXPECT_EQ(twin.report.bytes_unpacked, original.report.bytes_unpacked);
    EXPECT_EQ(twin.skipped(Skip::damaged), 0u);
  }
}

TEST(Warc, TheContainerTwinsOfTheSetAreEqual) {
  for (const std::string name : {"warcio/example.arc", "whirlwind-python/whirlwind.warc"}) {
    const Crawl plain = read_file_as_crawl(warc_data(name));
    EXPECT_EQ(plain.pages, read_file_as_crawl(warc_data(name + ".gz")).pages);
    EXPECT_EQ(plain.pages.size(), 1u);
  }
}

TEST(Warc, FieldsOfAPage) {
  const TempDir dir;
  const std::string text = warc_response(
      "<http://a.example/t>", "content-TYPE: text/plain; x=y; Charset=\"koi8-r\"\r\n", "plain");
  const std::string folded =
      warc_response("http://a.example/f", "Content-Type: text/html;\r\n\tcharset=gbk\r\n", "<p>");
  const std::string resource =
      warc_record("resource", "http://a.example/r", "application/xhtml+xml; charset=utf-8", "<r>");
  write_file(dir / "a.warc", text + folded + resource);
  const Crawl crawl = read_file_as_crawl(dir / "a.warc");
  EXPECT_THAT(crawl.pages,
              ElementsAre(OwnedPage{"http://a.example/t", PageKind::text, "koi8-r", "", "plain"},
                          OwnedPage{"http://a.example/f", PageKind::html, "gbk", "", "<p>"},
                          OwnedPage{"http://a.example/r", PageKind::html, "utf-8", "", "<r>"}));
}

TEST(Warc, OldVersionsAndBareLineFeeds) {
  const TempDir dir;
  std::string old = warc_page("http://a.example/", "<p>old");
  old.replace(0, 8, "WARC/0.18");
  std::string bare = warc_page("http://b.example/", "<p>12345");
  std::erase(bare, '\r');
  // Three carriage returns fewer inside the content.
  const size_t length = bare.find("Content-Length: ") + 16;
  bare.replace(length, 2, std::to_string(std::stoi(bare.substr(length, 2)) - 3));
  write_file(dir / "a.warc", old + bare);
  EXPECT_THAT(read_file_as_crawl(dir / "a.warc").urls(),
              ElementsAre("http://a.example/", "http://b.example/"));
}

TEST(Warc, VersionLinesInLowerCaseAndTwoCarriageReturns) {
  const TempDir dir;
  std::string lower = warc_page("http://a.example/", "<p>lower");
  lower.replace(0, 4, "warc");
  std::string twice = warc_page("http://b.example/", "<p>twice");
  const size_t head = twice.find("\r\n\r\n") + 4;
  std::string returns;
  for (const char c : twice.substr(0, head)) returns += c == '\r' ? "\r\r" : std::string(1, c);
  twice.replace(0, head, returns);
  write_file(dir / "a.warc", lower + twice + lower);
  const Crawl crawl = read_file_as_crawl(dir / "a.warc");
  EXPECT_THAT(crawl.urls(),
              ElementsAre("http://a.example/", "http://b.example/", "http://a.example/"));
  EXPECT_EQ(crawl.pages[1].body, "<p>twice");
  EXPECT_EQ(crawl.skipped(Skip::damaged), 0u);
}

// As exports of wayback machines and TREC collections have them.
TEST(Warc, ResponsesWithoutAnHttpHeadArePages) {
  const TempDir dir;
  write_file(dir / "a.warc",
             warc_record("response", "http://a/1", "text/html; charset=koi8-r", "<p>bare") +
                 warc_record("response", "http://a/2", "text/plain", "bare text") +
                 warc_record("response", "http://a/3", "image/png", "png") +
                 warc_record("response", "ftp://a/4", "text/html", "<p>no response of HTTP") +
                 warc_record("response", "http://a/5", "text/html",
                             "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>head"));
  const Crawl crawl = read_file_as_crawl(dir / "a.warc");
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1", "http://a/2", "http://a/5"));
  ASSERT_EQ(crawl.pages.size(), 3u);
  EXPECT_EQ(crawl.pages[0].charset, "koi8-r");
  EXPECT_EQ(crawl.pages[1].kind, PageKind::text);
  EXPECT_EQ(crawl.pages[2].body, "<p>head");
  EXPECT_EQ(crawl.report.bare_responses, 3u);
  EXPECT_EQ(crawl.skipped(Skip::media_type), 1u);
  EXPECT_EQ(crawl.skipped(Skip::other_record), 1u);
}

TEST(Warc, EverySkipIsCounted) {
  const TempDir dir;
  const std::string html = "Content-Type: text/html\r\n";
  std::string file = warc_record("warcinfo", "", "application/warc-fields", "software: x");
  file += warc_record("request", "http://a/", "application/http; msgtype=request", "GET /");
  file += warc_record("response", "dns:a", "text/dns", "1.2.3.4");
  file += warc_record("response", "http://a/404", "application/http",
                      "HTTP/1.1 404 Gone\r\n" + html + "\r\n<p>");
  file += warc_response("http://a/image", "Content-Type: image/png\r\n", "<png>");
  file += warc_record("resource", "http://a/css", "text/css", "p {}");
  file += warc_response("", html, "<p>no url");
  file += warc_response("http://a/empty", html, "");
  file += warc_record("response", "http://a/nothing", "application/http", "");
  file += warc_record("response", "http://a/html", "application/http", "nonsense");
  file += warc_response("http://a/untyped", "", "\xef\xbb\xbf \n<p>untyped");
  file += warc_response("http://a/binary", "", "GIF89a");
  file += warc_page("http://a/twice", "<p>1") + warc_page("http://a/twice", "<p>2");
  file += warc_page("mailto:a", "<p>");
  write_file(dir / "a.warc", file);

  std::vector<std::string> seen;
  const Admit admit = [&](std::string_view url, int64_t, bool, std::string& canonical) {
    if (!url.starts_with("http://")) return Admission::bad_url;
    canonical = std::string(url) + "#canonical";
    if (std::ranges::count(seen, canonical) > 0) return Admission::duplicate;
    seen.push_back(canonical);
    return Admission::accept;
  };
  const Crawl crawl = read_crawl({.inputs = {dir / "a.warc"}}, 1, admit);
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/untyped#canonical", "http://a/twice#canonical"));
  EXPECT_EQ(crawl.pages[1].body, "<p>1");
  EXPECT_EQ(crawl.skipped(Skip::other_record), 3u);
  EXPECT_EQ(crawl.skipped(Skip::status), 1u);
  EXPECT_EQ(crawl.skipped(Skip::media_type), 2u);
  EXPECT_EQ(crawl.skipped(Skip::image), 1u);
  EXPECT_EQ(crawl.skipped(Skip::bad_url), 2u);
  EXPECT_EQ(crawl.skipped(Skip::empty), 2u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  EXPECT_EQ(crawl.skipped(Skip::duplicate), 1u);
  EXPECT_EQ(crawl.report.records, 15u);
  EXPECT_EQ(crawl.report.files, 1u);
  ASSERT_EQ(crawl.report.examples.size(), 3u);
  EXPECT_EQ(crawl.report.examples[0].reason, "the record names no URL");
  EXPECT_EQ(crawl.report.examples[1].reason, "no HTTP status line");
  EXPECT_EQ(crawl.report.examples[1].file, dir / "a.warc");
  EXPECT_EQ(crawl.report.examples[1].offset, file.find("http://a/html") - 48);
  EXPECT_EQ(crawl.report.examples[2].reason, "no absolute http(s) URL: mailto:a");
}

TEST(Warc, PagesAreCutAtMaxPage) {
  const TempDir dir;
  const std::string exact(1000, 'x');
  const std::string longer(100'000, 'y');
  write_file(dir / "a.warc", warc_page("http://a/1", exact) + warc_page("http://a/2", longer) +
                                 warc_page("http://a/3", "<p>"));
  const Crawl crawl = read_crawl({.inputs = {dir / "a.warc"}, .max_page = 1000});
  ASSERT_EQ(crawl.pages.size(), 3u);
  EXPECT_EQ(crawl.pages[0].body, exact);
  EXPECT_EQ(crawl.pages[1].body, longer.substr(0, 1000));
  EXPECT_EQ(crawl.pages[2].body, "<p>");
  EXPECT_EQ(crawl.report.cut_pages, 1u);
  EXPECT_EQ(crawl.report.page_bytes, 2003u);
}

TEST(Warc, ManyThreadsGiveThePagesOfOne) {
  const TempDir dir;
  std::string file;
  std::string packed;
  for (int i = 0; i < 600; ++i) {
    const std::string body(static_cast<size_t>(i * 37 % 20'000), static_cast<char>('a' + i % 26));
    const std::string fields = i % 3 == 0 ? "Content-Type: text/html\r\nContent-Encoding: gzip\r\n"
                                          : "Content-Type: text/html\r\n";
    std::string coded = i % 3 == 0 ? gzip(body) : body;
    if (i % 50 == 0) coded[coded.size() / 2] = static_cast<char>(~coded[coded.size() / 2]);
    packed += gzip(warc_response(fmt::format("http://a.example/{}", i), fields, coded));
    if (i % 70 == 0) packed += "garbage";
  }
  write_file(dir / "a.warc.gz", packed);
  const CrawlOptions options{.inputs = {dir / "a.warc.gz", dir / "a.warc.gz"}};
  const Crawl one = read_crawl(options, 1);
  EXPECT_GT(one.pages.size(), 1000u);
  EXPECT_GT(one.skipped(Skip::damaged), 20u);
  for (const int threads : {2, 5}) {
    const Crawl many = read_crawl(options, threads);
    EXPECT_EQ(many.pages, one.pages);
    EXPECT_EQ(many.skipped(Skip::damaged), one.skipped(Skip::damaged));
    ASSERT_EQ(many.report.examples.size(), one.report.examples.size());
    for (size_t i = 0; i < one.report.examples.size(); ++i) {
      EXPECT_EQ(many.report.examples[i].offset, one.report.examples[i].offset);
      EXPECT_EQ(many.report.examples[i].reason, one.report.examples[i].reason);
    }
  }
}

}  // namespace
}  // namespace kith::crawl::test
