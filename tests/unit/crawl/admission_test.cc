// Which captures become pages: statuses, redirects, first sound captures, the strict mode.
#include <algorithm>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crawl/read/http.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kHtml = "Content-Type: text/html\r\n";

// The first capture of each URL wins.
Admit first_captures() {
  return [seen = std::set<std::string, std::less<>>()](std::string_view url, int64_t, bool,
                                                       std::string& canonical) mutable {
    canonical = url;
    return seen.insert(canonical).second ? Admission::accept : Admission::duplicate;
  };
}

std::string answer(std::string_view url, std::string_view status_line, std::string_view fields) {
  return warc_record("response", url, "application/http",
                     fmt::format("{}\r\n{}{}\r\n<p>{}", status_line, kHtml, fields, status_line));
}

TEST(StatusSet, Lists) {
  const auto contains = [](std::string_view list, unsigned status) {
    return StatusSet::parse(list).value().contains(status);
  };
  EXPECT_TRUE(StatusSet().contains(200));
  EXPECT_FALSE(StatusSet().contains(203));
  EXPECT_TRUE(contains("200,203", 203));
  EXPECT_FALSE(contains("203", 200));
  EXPECT_TRUE(contains(" 404 , 2XX", 299));
  EXPECT_FALSE(contains("2xx", 300));
  EXPECT_TRUE(contains("Any", 599));
  EXPECT_TRUE(contains("any", 0));
  EXPECT_FALSE(contains("200", 65'000));
  for (const char* const list :
       {"", ",", "200,", "20", "2000", "0xx", "xxx", "2x0", "-20", "all"}) {
    const auto set = StatusSet::parse(list);
    ASSERT_FALSE(set.is_ok()) << list;
    EXPECT_EQ(set.error().kind, ErrorKind::usage);
    EXPECT_THAT(set.error().message, HasSubstr("status"));
  }
}

TEST(Admission, StatusesThatAreWanted) {
  const TempDir dir;
  write_file(dir / "a.warc",
             answer("http://a/200", "HTTP/1.1 200 OK", "") +
                 answer("http://a/203", "HTTP/1.1 203 Other", "") +
                 answer("http://a/301", "HTTP/1.1 301 Moved", "Location: /200\r\n") +
                 answer("http://a/404", "HTTP/1.1 404 Gone", "") +
                 answer("http://a/none", "X-Server: y", "") +
                 warc_record("resource", "http://a/r", "text/html", "<p>"));
  const auto urls = [&](std::string_view list) {
    CrawlOptions options{.inputs = {dir / "a.warc"}};
    options.status = StatusSet::parse(list).value();
    return read_crawl(options).urls();
  };
  EXPECT_THAT(urls("200"), ElementsAre("http://a/200", "http://a/none", "http://a/r"));
  EXPECT_THAT(urls("203"), ElementsAre("http://a/203", "http://a/r"));
  EXPECT_THAT(urls("2xx"),
              ElementsAre("http://a/200", "http://a/203", "http://a/none", "http://a/r"));
  EXPECT_THAT(urls("404,301"), ElementsAre("http://a/301", "http://a/404", "http://a/r"));
  EXPECT_EQ(urls("any").size(), 6u);
}

TEST(Admission, RedirectsAreHandedOnAndAreNoCaptures) {
  const TempDir dir;
  write_file(dir / "a.warc",
             answer("http://a/1", "HTTP/1.1 301 Moved", "Location: https://a/1\r\n") +
                 answer("http://a/2", "HTTP/1.1 302 Found", "Location:\r\n") +
                 answer("http://a/3", "HTTP/1.1 304 Same", "Location: /x\r\n") +
                 answer("http://a/4", "HTTP/1.1 308 Moved", "location: ../y z\r\n") +
                 warc_page("http://a/1", "<p>now it is here") +
                 answer("http://a/1", "HTTP/1.1 303 Away", "Location: /away\r\n"));
  const Crawl crawl = read_crawl({.inputs = {dir / "a.warc"}}, 1, first_captures());
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1"));
  EXPECT_THAT(crawl.redirects, ElementsAre(Redirect{"http://a/1", "https://a/1", 301},
                                           Redirect{"http://a/4", "../y z", 308},
                                           Redirect{"http://a/1", "/away", 303}));
  EXPECT_EQ(crawl.report.redirects, 3u);
  EXPECT_EQ(crawl.skipped(Skip::status), 5u);
  EXPECT_EQ(crawl.skipped(Skip::duplicate), 0u);
}

TEST(Admission, HeadsWithoutAStatusLineAndNoHeadsAtAll) {
  const TempDir dir;
  const auto record = [](std::string_view url, std::string_view content) {
    return warc_record("response", url, "application/http", content);
  };
  const std::string long_page = "<html>" + std::string(100'000, 'x');
  write_file(dir / "a.warc",
             record("http://a/1", "Content-Type: text/plain; charset=gbk\r\nX: y\r\n\r\nplain") +
                 record("http://a/2", "Content-Encoding: gzip\r\n\r\n" + gzip("<p>packed")) +
                 record("http://a/3", "\n <html><p>body\r\n\r\nalone") +
                 record("http://a/4", long_page) + record("http://a/5", "no head\r\n\r\nno page") +
                 record("http://a/6", "HTTP/1.1 abc\r\n\r\n<p>") +
                 record("http://a/7", "\xef\xbb\xbf<p>"));
  const Crawl crawl = read_crawl({.inputs = {dir / "a.warc"}});
  EXPECT_THAT(crawl.urls(),
              ElementsAre("http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://a/7"));
  ASSERT_EQ(crawl.pages.size(), 5u);
  EXPECT_EQ(crawl.pages[0].body, "plain");
  EXPECT_EQ(crawl.pages[0].charset, "gbk");
  EXPECT_EQ(crawl.pages[1].body, "<p>packed");
  EXPECT_EQ(crawl.pages[2].body, "\n <html><p>body\r\n\r\nalone");
  EXPECT_EQ(crawl.pages[3].body, long_page);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 2u);
}

// The record's length counts, whatever HTTP says of its own.
TEST(Admission, TheContentLengthOfHttpIsNotBelieved) {
  const TempDir dir;
  std::string file;
  for (const char* const length : {"0", "3", "1000", "-1", "many"}) {
    file += warc_response(fmt::format("http://a/{}", length),
                          kHtml + fmt::format("Content-Length: {}\r\n", length), "<p>whole body");
  }
  write_file(dir / "a.warc", file);
  const Crawl crawl = read_crawl({.inputs = {dir / "a.warc"}});
  ASSERT_EQ(crawl.pages.size(), 5u);
  for (const OwnedPage& page : crawl.pages) EXPECT_EQ(page.body, "<p>whole body");
  EXPECT_EQ(crawl.report.short_pages, 0u);
}

// Captures of 50 URLs, in many batches; the first ones of every URL cannot be unpacked, and the
// sound ones differ.
std::string captures(int urls, int broken, int sound) {
  std::string file;
  const std::string packed = gzip("<p>" + std::string(3000, 'x'));
  std::string torn = packed;
  torn[torn.size() - 5] = static_cast<char>(~torn[torn.size() - 5]);
  for (int capture = 0; capture < broken + sound; ++capture) {
    for (int url = 0; url < urls; ++url) {
      const std::string body =
          capture < broken
              ? torn
              : gzip(fmt::format("<p>{} of {}", capture, url) + std::string(30'000, 'y'));
      file += warc_response(fmt::format("http://a.example/{}", url),
                            kHtml + "Content-Encoding: gzip\r\n", body);
      // Fills batches.
      file +=
          warc_page(fmt::format("http://b.example/{}/{}", url, capture), std::string(30'000, 'z'));
    }
  }
  return file;
}

TEST(Admission, TheFirstSoundCaptureWinsForAnyNumberOfThreads) {
  const TempDir dir;
  write_file(dir / "a.warc", captures(50, 2, 3));
  const CrawlOptions options{.inputs = {dir / "a.warc"}};
  const Crawl one = read_crawl(options, 1, first_captures());
  EXPECT_EQ(one.skipped(Skip::damaged), 100u);
  EXPECT_EQ(one.skipped(Skip::duplicate), 100u);
  EXPECT_EQ(one.pages.size(), 50u + 250u);
  for (const OwnedPage& page : one.pages) {
    if (!page.url.starts_with("http://a.")) continue;
    EXPECT_TRUE(page.body.starts_with("<p>2 of")) << page.body.substr(0, 20);
  }
  for (const int threads : {2, 5}) {
    const Crawl many = read_crawl(options, threads, first_captures());
    EXPECT_EQ(many.pages, one.pages);
    EXPECT_EQ(many.report.examples.size(), one.report.examples.size());
  }
}

// A megabyte of records may hold hundreds of pages of max_page bytes: they come in parts.
TEST(Admission, ABatchOfBombsTakesBoundedMemory) {
  const TempDir dir;
  const std::string fields = kHtml + "Content-Encoding: gzip\r\n";
  std::string file;
  for (int i = 0; i < 120; ++i) {
    const std::string bomb = gzip(fmt::format("<p>{}", i) + std::string(2u << 20, ' '));
    file += warc_response(fmt::format("http://a/{}", i % 100), fields, bomb);
    file += warc_page(fmt::format("http://b/{}", i % 100), "<p>plain");
  }
  write_file(dir / "a.warc", file);
  const CrawlOptions options{.inputs = {dir / "a.warc"}, .max_page = 1u << 20};
  const Crawl one = read_crawl(options, 1, first_captures());  // which looks at the batch's memory
  ASSERT_EQ(one.pages.size(), 200u);
  EXPECT_EQ(one.report.cut_pages, 100u);
  EXPECT_EQ(one.report.page_bytes, (100u << 20) + 100 * 8);
  EXPECT_EQ(one.skipped(Skip::duplicate), 40u);
  for (size_t i = 0; i < 100; ++i) {
    const std::string text = fmt::format("<p>{} ", i);
    EXPECT_EQ(one.pages[2 * i].url, fmt::format("http://a/{}", i));
    EXPECT_EQ(one.pages[2 * i].body.size(), 1u << 20);
    EXPECT_TRUE(one.pages[2 * i].body.starts_with(text));
    EXPECT_EQ(one.pages[2 * i + 1].body, "<p>plain");
  }
  EXPECT_EQ(read_crawl(options, 3, first_captures()).pages, one.pages);
}

// Reads with some threads until an error; its message.
std::string failure_of(const CrawlOptions& options, int threads) {
  Result<PageReader> reader = PageReader::open(options, first_captures());
  if (!reader) return "not opened: " + reader.error().message;
  std::vector<std::string> messages(static_cast<size_t>(threads));
  {
    std::vector<std::jthread> workers;
    for (std::string& message : messages) {
      workers.emplace_back([&reader, &message] {
        PageBatch batch;
        for (;;) {
          const Result<bool> more = reader->next(batch);
          if (!more) message = more.error().message;
          if (!more || !*more) return;
        }
      });
    }
  }
  // A worker that came to the end before another met the damage has nothing to say.
  const std::string failure = *std::ranges::max_element(messages);
  for (const std::string& message : messages) EXPECT_TRUE(message.empty() || message == failure);
  return failure;
}

TEST(Strict, TheFirstDamageIsAnErrorThatNamesItsPlace) {
  const TempDir dir;
  const std::string good = warc_page("http://a/", "<p>");
  const std::string file = captures(50, 0, 1);
  std::string torn = gzip("<p>");
  torn[torn.size() - 5] = static_cast<char>(~torn[torn.size() - 5]);
  const std::string coded = warc_response("http://a/", kHtml + "Content-Encoding: gzip\r\n", torn);
  write_file(dir / "coded.warc", file + coded + file + "garbage\r\n\r\n" + file);
  write_file(dir / "garbage.warc", file + "garbage\r\n\r\n" + file + coded);
  write_file(dir / "cut.warc", file + good.substr(0, good.size() - 6));
  write_file(dir / "cut.warc.gz", gzip(file) + gzip(good).substr(0, 60));
  write_file(dir / "bad.jsonl", "{\"url\":\"http://a/\",\"html\":\"x\"}\n{\"url\n");
  const std::pair<const char*, size_t> places[] = {{"coded.warc", file.size()},
                                                   {"garbage.warc", file.size()},
                                                   {"cut.warc", file.size()},
                                                   {"cut.warc.gz", gzip(file).size()},
                                                   {"bad.jsonl", 31}};
  for (const auto& [name, offset] : places) {
    CrawlOptions options{.inputs = {dir / name}};
    EXPECT_EQ(failure_of(options, 2), "") << name;
    options.strict = true;
    for (const int threads : {1, 2, 5}) {
      EXPECT_THAT(failure_of(options, threads),
                  HasSubstr(fmt::format("{}:{}: damaged: ", dir / name, offset)));
    }
  }
}

TEST(Strict, OtherSkipsAreNoDamage) {
  const TempDir dir;
  write_file(
      dir / "a.warc",
      answer("http://a/404", "HTTP/1.1 404 Gone", "") + warc_page("mailto:a", "<p>") +
          warc_page("", "<p>") +
          warc_response("http://a/s", kHtml + "Transfer-Encoding: chunked\r\n", "9\r\n<p>sh") +
          warc_page("http://a/", "<p>"));
  EXPECT_EQ(failure_of({.inputs = {dir / "a.warc"}, .strict = true}, 1), "");
}

}  // namespace
}  // namespace kith::crawl::test
