// Heads of records and of HTTP as archives have them, and odd ones: what is taken and what is not.
#include "crawl/read/records.h"

#include <optional>
#include <string>
#include <vector>

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
using testing::IsEmpty;

Crawl read_warc(const std::string& bytes, CrawlOptions options = {}) {
  const TempDir dir;
  write_file(dir / "a.warc", bytes);
  options.inputs = {dir / "a.warc"};
  return read_crawl(options);
}

TEST(Records, SayWhenTheyWereCaptured) {
  const auto time_of = [](ArchiveFormat format, const std::string& head) {
    const auto record = parse_record_head(format, head);
    return record ? record->time : -1;
  };
  const auto warc = [&](const std::string& field) {
    return time_of(ArchiveFormat::warc,
                   "WARC/1.1\r\nWARC-Type: response\r\n" + field + "Content-Length: 0\r\n\r\n");
  };
  constexpr int64_t noon = 1'795'521'600'000;  // 2026-11-24T12:00:00Z
  EXPECT_EQ(warc("WARC-Date: 2026-11-24T12:00:00Z\r\n"), noon);
  EXPECT_EQ(warc("warc-date: 2026-11-24T12:00:00.123456789Z\r\n"), noon + 123);
  EXPECT_EQ(warc("WARC-Date: 20261124120000\r\n"), noon);
  EXPECT_EQ(warc("WARC-Date: yesterday\r\n"), no_time);
  EXPECT_EQ(warc("Last-Modified: 2026-11-24T12:00:00Z\r\n"), no_time);
  EXPECT_EQ(warc("WARC-Refers-To-Date: 2026-11-24T12:00:00Z\r\n"), no_time);
  const auto arc = [&](const std::string& fields) {
    return time_of(ArchiveFormat::arc, "http://a.test/ " + fields + " text/html 5\n");
  };
  EXPECT_EQ(arc("10.0.0.1 20261124120000"), noon);
  EXPECT_EQ(arc("20261124120000 10.0.0.1"), noon);
  EXPECT_EQ(arc("- 2026112412"), noon);
  EXPECT_EQ(arc("- 2026-11-24T12:00:00Z"), noon);
  EXPECT_EQ(arc("10.0.0.1 20261124120000xyz"), noon);
  EXPECT_EQ(arc("10.0.0.1 4f3b21aa"), no_time);
}

TEST(Time, IsADateOrSeconds) {
  EXPECT_EQ(parse_time("1970-01-02T00:00:00.5"), 86'400'500);
  EXPECT_EQ(parse_time("1970-01-01T23:59:60Z"), 86'400'000);
  EXPECT_EQ(parse_time("1970-01-01T01:00+01:00"), 0);
  EXPECT_EQ(parse_time("1970-01-01T01:00-01:00"), 7'200'000);
  for (const char* text : {"",
                           "-",
                           "x970-01-01",
                           "1970",
                           "1970x01-01",
                           "1970/01/01",
                           "1970-x1-01",
                           "1970-0",
                           "1970-01",
                           "1970-01x01",
                           "1970-01-",
                           "1970-01-x",
                           "1970-13-01",
                           "1970-02-30",
                           "1970-01-01x",
                           "1970-01-01T",
                           "1970-01-01Tx1:00",
                           "1970-01-01T24:00",
                           "1970-01-01T01",
                           "1970-01-01T01x00",
                           "1970-01-01T01:x0",
                           "1970-01-01T01:60",
                           "1970-01-01T01:00:",
                           "1970-01-01T01:00:x0",
                           "1970-01-01T01:00:61",
                           "1970-01-01T01:00:00.",
                           "1970-01-01T01:00:00.x",
                           "1970-01-01T01:00:00x",
                           "1970-01-01T01:00:00+x",
                           "1970-01-01T01:00:00+24:00",
                           "1970-01-01T01:00:00+01",
                           "1970-01-01T01:00:00Zx",
                           "inf",
                           "nan",
                           "1e99",
                           "-1e99",
                           "12x"}) {
    if (std::string_view(text) == "1970") {
      EXPECT_EQ(parse_time(text), 1'970'000);
      continue;
    }
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

// URL and length of the head of an ARC record; empty where it is none.
std::string arc(const std::string& line) {
  const std::string ended = line + "\n";
  const auto head = parse_record_head(ArchiveFormat::arc, ended);
  return head ? fmt::format("{} {}", head->url, head->length) : "";
}

TEST(ArcHead, EndsItsUrlWhereAddressOrDateBegins) {
  constexpr const char* url = "http://a.example/x";
  const std::string date = " 20200101000000 text/html 7";
  for (const char* address : {"192.0.2.1", "::1", "[2001:db8::1]", "2001:DB8::192.0.2.1"}) {
    EXPECT_EQ(arc(fmt::format("{} {}{}", url, address, date)), fmt::format("{} 7", url)) << address;
  }
  // What stands in the place of an address, or nothing does.
  EXPECT_EQ(arc("http://a/ None" + date), "http://a/ 7");
  EXPECT_EQ(arc("http://a/" + date), "http://a/ 7");
  // Exchanged, or an address without a date.
  EXPECT_EQ(arc("http://a/ 20200101000000 192.0.2.1 text/html 7"), "http://a/ 7");
  EXPECT_EQ(arc("http://a/ 192.0.2.1 text/html 7"), "http://a/ 7");
  EXPECT_EQ(arc("http://a/ b 192.0.2.1 text/html 7"), "http://a/ b 7");
  // A URL with blanks, and with what looks like an address.
  EXPECT_EQ(arc("http://a/b c d 192.0.2.1" + date), "http://a/b c d 7");
  EXPECT_EQ(arc("http://a/?ip= 192.0.2.9 x 192.0.2.1" + date), "http://a/?ip= 192.0.2.9 x 7");
  EXPECT_EQ(arc("http://a/?ip= 192.0.2.9 x 192.0.2.8 y 7"), "http://a/?ip= 7");
  EXPECT_EQ(arc("http://a/ 192.0.2.1 2020-01-01T00:00:00Z text/html 7"), "http://a/ 7");
}

TEST(ArcHead, KnowsAddressesByTheirForm) {
  const auto is_address = [](const std::string& text) {
    return arc("http://a/ b " + text + " x 7") == "http://a/ b 7";
  };
  for (const char* text : {"192.0.2.1", "1.2.3.4", "255.255.255.255", "::", "a:b:c", "[::1]"}) {
    EXPECT_TRUE(is_address(text)) << text;
  }
  for (const char* text :
       {"1.2.3", "1.2.3.4.5", "1.2.3.x", ".1.2.34", "1.2.34.", "1..2.345", "1234.1234.1234.1234",
        "1.2.3.", "[::1", "::1]", "[]", ":", "a:b", "::g", "(::1]", "[::1)"}) {
    EXPECT_FALSE(is_address(text)) << text;
  }
}

TEST(ArcHead, KnowsDatesByTheirForm) {
  const auto is_date = [](const std::string& text) {
    return arc("http://a/ None " + text + " x 7") == "http://a/ 7";
  };
  for (const char* text :
       {"20200101", "19991231235959", "2020-01-01", "2020-01-01T00:00:00Z", "20200101000000.123"}) {
    EXPECT_TRUE(is_date(text)) << text;
  }
  for (const char* text :
       {"2020010", "18991231", "21000101", "2020010x", "2020-1-01", "2020x01-01", "2020-01x01",
        "2020-01-0", "2020-0x-01", "2020-01-0x", "20x0-01-01", "date", "1", "20"}) {
    EXPECT_FALSE(is_date(text)) << text;
  }
}

TEST(ArcHead, IsNoneWithoutAUrlAndALength) {
  for (const char* line :
       {"http://a/", "http://a/ 7", "http://a/ 192.0.2.1 20200101 text/html x",
        "http://a/ 192.0.2.1 20200101 text/html -7", "http://a/ no field that is known 7"}) {
    EXPECT_EQ(arc(line), "") << line;
  }
}

TEST(WarcHead, NamesWhatIsCut) {
  const auto is_cut = [](const char* field) {
    const auto head = parse_record_head(
        ArchiveFormat::warc,
        fmt::format("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 7\r\n{}\r\n\r\n", field));
    EXPECT_EQ(head->length, 7u);
    return head->is_cut;
  };
  EXPECT_FALSE(is_cut("X: y"));
  EXPECT_TRUE(is_cut("WARC-Truncated: length"));
  EXPECT_TRUE(is_cut("warc-segment-number: 2"));
}

TEST(Http, TypesThatSayNothing) {
  for (const char* type :
       {"", "html", "/html", "text/", "*/*", "text/*", "unknown/unknown", "Unknown/x",
        "application/unknown", "application/UNKNOWN", "application/x-unknown-content-type"}) {
    EXPECT_TRUE(says_nothing(type)) << type;
  }
  for (const char* type : {"text/html", "image/png", "application/unknown2", "x/unknown"}) {
    EXPECT_FALSE(says_nothing(type)) << type;
  }
}

TEST(Http, FieldsWithoutAStatusLineAreAHead) {
  for (const char* line : {"X-Under_score-1: y", "a: b", "Z9:"}) {
    ASSERT_TRUE(parse_http_head(line).has_value()) << line;
    EXPECT_EQ(parse_http_head(line)->status, 0u);
  }
  for (const char* line : {": b", "a b: c", "a", "a/b: c", "a\xe9: b"}) {
    EXPECT_FALSE(parse_http_head(line).has_value()) << line;
  }
}

TEST(Http, StatusCodesAreThreeDigits) {
  for (const char* list : {"20x", "2x0", "2x", "0xx", "xxx", "2000", "2 0"}) {
    EXPECT_FALSE(StatusSet::parse(list).is_ok()) << list;
  }
  EXPECT_TRUE(StatusSet::parse("3XX, 418")->contains(399));
}

std::string http_record(const std::string& url, const std::string& http) {
  return warc_record("response", url, "application/http", http);
}

TEST(Warc, ThePayloadsTypeMayBeKnownBefore) {
  std::string record = warc_page("http://a/", "<p>");
  record.insert(record.find("Content-Length"), "WARC-Identified-Payload-Type: image/png\r\n");
  std::string other = warc_record("metadata", "http://a/", "text/plain", "x: y");
  other.insert(other.find("Content-Length"), "WARC-Identified-Payload-Type: image/png\r\n");
  const Crawl crawl = read_warc(record + other);
  EXPECT_THAT(crawl.pages, IsEmpty());
  EXPECT_EQ(crawl.skipped(Skip::image), 1u);
  EXPECT_EQ(crawl.skipped(Skip::other_record), 1u);
}

TEST(Warc, RedirectsNameWhereFromAndWhereTo) {
  const std::string moved = "HTTP/1.1 301 Moved\r\n";
  const std::string records = http_record("http://a/1", moved + "Location: /2\r\n\r\n") +
                              http_record("http://a/3", moved + "Location:\r\n\r\n") +
                              http_record("http://a/4", moved + "\r\n") +
                              http_record("", moved + "Location: /5\r\n\r\n");
  const Crawl crawl = read_warc(records);
  EXPECT_THAT(crawl.redirects, ElementsAre(Redirect{"http://a/1", "/2", 301}));
  EXPECT_EQ(crawl.skipped(Skip::status), 4u);
  // One that is cut off is none.
  const std::string cut = http_record("http://a/1", moved + "Location: /2\r\n\r\nMoved");
  const Crawl damaged = read_warc(warc_page("http://a/0", "<p>") + cut.substr(0, cut.size() - 6));
  EXPECT_THAT(damaged.redirects, IsEmpty());
  EXPECT_EQ(damaged.skipped(Skip::damaged), 1u);
}

// Interim heads, and that of a proxy, stand before the real one.
TEST(Warc, TheLastHeadIsThatOfThePage) {
  const std::string real = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page";
  const Crawl crawl =
      read_warc(http_record("http://a/1", "HTTP/1.1 100 Continue\r\n\r\n" + real) +
                http_record("http://a/2", "HTTP/1.0 200 Connection established\r\n\r\n" + real) +
                http_record("http://a/3", "HTTP/1.1 404 Not Found\r\n\r\n" + real) +
                http_record("http://a/4", "nonsense\r\n\r\n" + real) +
                http_record("http://a/5", "Content-Type: text/plain\r\n\r\n" + real) +
                http_record("http://a/6", "HTTP/1.1 100 Continue\r\n\r\n"));
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1", "http://a/2", "http://a/5"));
  ASSERT_EQ(crawl.pages.size(), 3u);
  EXPECT_EQ(crawl.pages[0].body, "<p>page");
  EXPECT_EQ(crawl.pages[1].body, "<p>page");
  EXPECT_EQ(crawl.pages[2].body, real);
  EXPECT_EQ(crawl.skipped(Skip::status), 2u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
}

TEST(Wat, RecordsWithoutAUrlOrAnEndAreNone) {
  const std::string json =
      R"({"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{}}}}})";
  const std::string sound = warc_record("metadata", "http://a/", "application/json", json);
  EXPECT_EQ(read_warc(sound).pages.size(), 1u);
  const Crawl nameless = read_warc(sound + warc_record("metadata", "", "application/json", json));
  EXPECT_EQ(nameless.pages.size(), 1u);
  EXPECT_EQ(nameless.skipped(Skip::other_record), 1u);
  const Crawl cut = read_warc(sound + sound.substr(0, sound.size() - 10));
  EXPECT_EQ(cut.pages.size(), 1u);
  EXPECT_EQ(cut.skipped(Skip::damaged), 1u);
}

// One page costs no more than its limit, whatever its JSON is made of.
TEST(Wat, JsonHasSoManyValuesAndIsForgottenAfterwards) {
  const auto response = [](const std::string& more) {
    return R"({"HTML-Metadata":{},"More":)" + more + "}";
  };
  std::string many = "[1";
  while (many.size() < 1'100'000) many += ",1";
  many += "]";
  CrawlOptions options;
  options.max_page = 1'200'000;
  const Crawl crawl = read_warc(
      wat_records("http://a/1", response(many)) + wat_records("http://a/2", response("1")),
      options);
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/2"));
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  const std::string large = "\"" + std::string(5 << 20, 'x') + "\"";
  EXPECT_EQ(read_warc(wat_records("http://a/1", response(large)) +
                      wat_records("http://a/2", response("1")))
                .pages.size(),
            2u);
}

// Bytes of gzip are unpacked twice, whatever the head says of them.
TEST(Payload, WhatIsPackedTwiceMoreIsNoPage) {
  const std::string html = "Content-Type: text/html\r\n";
  const std::string page = "<p>packed";
  const Crawl crawl = read_warc(
      warc_response("http://a/1", html, gzip(page)) +
      warc_response("http://a/2", html, gzip(gzip(page))) +
      warc_response("http://a/3", html, gzip(gzip(gzip(page)))) +
      warc_response("http://a/4", html, std::string("\x1f\x8b\x08\0\0\0\0\0\0\3\xff\xff", 12)) +
      warc_response("http://a/5", "", gzip(page)) +
      warc_response("http://a/6", "", gzip("no markup")) +
      warc_response("http://a/7", html, gzip(gzip(""))));
  EXPECT_THAT(crawl.urls(), ElementsAre("http://a/1", "http://a/2", "http://a/5"));
  for (const OwnedPage& of : crawl.pages) EXPECT_EQ(of.body, page);
  EXPECT_EQ(crawl.skipped(Skip::archive), 3u);
  EXPECT_EQ(crawl.skipped(Skip::media_type), 1u);
}

TEST(Payload, WhatIsPackedAndCutIsCut) {
  const std::string html = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
  std::string text = "<p>";
  for (int i = 0; i < 20'000; ++i) text += static_cast<char>('a' + (i * i / 7 + i % 31) % 26);
  const std::string inner = gzip(text);
  CrawlOptions options;
  options.max_page = inner.size() / 2;
  // The outer coding gives more than a page may have; what is left of the inner one is unpacked.
  const Crawl cut = read_warc(warc_response("http://a/1", html, gzip(inner)), options);
  ASSERT_EQ(cut.pages.size(), 1u);
  EXPECT_TRUE(text.starts_with(cut.pages[0].body));
  EXPECT_EQ(cut.report.cut_pages, 1u);
  const std::string outer = gzip(inner);
  const Crawl shorter =
      read_warc(warc_response("http://a/1", html, outer.substr(0, outer.size() * 3 / 4)));
  ASSERT_EQ(shorter.pages.size(), 1u);
  EXPECT_TRUE(text.starts_with(shorter.pages[0].body));
  EXPECT_EQ(shorter.report.short_pages, 1u);
}

TEST(Payload, ChunksMayHoldMoreThanAPage) {
  const std::string chunked = "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n";
  const auto body = [](size_t size) {
    return fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", size, "<p>" + std::string(size - 3, 'x'));
  };
  CrawlOptions options;
  options.max_page = 1000;
  for (const size_t size : {size_t{1001}, size_t{1} << 20, size_t{4} << 20}) {
    const Crawl crawl = read_warc(warc_response("http://a/", chunked, body(size)), options);
    ASSERT_EQ(crawl.pages.size(), 1u) << size;
    EXPECT_EQ(crawl.pages[0].body.size(), 1000u);
    EXPECT_EQ(crawl.report.cut_pages, 1u);
    // It is no damage that the rest was left out.
    EXPECT_EQ(crawl.report.short_pages, 0u);
  }
}

}  // namespace
}  // namespace kith::crawl::test
