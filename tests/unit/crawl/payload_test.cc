// HTTP heads, chunks and content codings.
#include "crawl/read/payload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "crawl/read/http.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;

TEST(Http, HeaderLength) {
  EXPECT_EQ(header_length("a: b\r\n\r\nrest"), 8u);
  EXPECT_EQ(header_length("a: b\n\nrest"), 6u);
  EXPECT_EQ(header_length("a\r\nb\r\n\nrest"), 7u);
  EXPECT_EQ(header_length("a: b\r\n\r"), std::string_view::npos);
  EXPECT_EQ(header_length("a: b\r\n"), std::string_view::npos);
  EXPECT_EQ(header_length(""), std::string_view::npos);
}

TEST(Http, ResponseHead) {
  const auto head = parse_http_head(
      "HTTP/1.1 200 OK\r\nContent-Type:text/html\r\nnonsense\r\nTRANSFER-encoding: gzip, "
      "Chunked\r\n"
      "Content-Encoding: br\r\n\r\n");
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->status, 200u);
  EXPECT_EQ(head->content_type, "text/html");
  EXPECT_EQ(head->content_encoding, "br");
  EXPECT_TRUE(head->chunked);
  EXPECT_EQ(parse_http_head("HTTP/2 404\r\n\r\n")->status, 404u);
  EXPECT_EQ(parse_http_head("HTTP/1.0  301 Moved")->status, 301u);
  for (const char* line :
       {"", "HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 2000", "HTTP/1.1 20", "<html>"}) {
    EXPECT_FALSE(parse_http_head(line).has_value()) << line;
  }
}

TEST(Http, MediaTypes) {
  EXPECT_EQ(parse_media_type("text/html").essence, "text/html");
  EXPECT_EQ(parse_media_type(" text/html ; charset = 'utf-8' ; a=b").charset, "utf-8");
  EXPECT_EQ(parse_media_type("text/html;a;charset=\"x\"").charset, "x");
  EXPECT_EQ(parse_media_type("text/html, text/plain").essence, "text/html");
  EXPECT_EQ(parse_media_type("").essence, "");
  EXPECT_EQ(parse_media_type(";charset=gbk").charset, "gbk");
}

std::string dechunked(std::string body, bool complete = true) {
  const Dechunked result = dechunk(body);
  EXPECT_EQ(result.complete, complete);
  return body.substr(0, result.size);
}

TEST(Dechunk, SoundAndBrokenBodies) {
  EXPECT_EQ(dechunked("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n"), "abcde");
  EXPECT_EQ(dechunked("A \nabcdefghij\n0\n\n"), "abcdefghij");
  EXPECT_EQ(dechunked("<p>stored without chunks"), "<p>stored without chunks");
  EXPECT_EQ(dechunked("3\r\nabc\r\n", false), "abc");
  EXPECT_EQ(dechunked("3\r\nabc\r\n1\r\nd\r\nzz\r\n", false), "abcd");
  EXPECT_EQ(dechunked("8\r\n<p>", false), "<p>");
  EXPECT_EQ(dechunked("ffffffffffffff\r\n<p>", false), "<p>");
  EXPECT_EQ(dechunked("fffffffffffffffff\r\nabc"), "fffffffffffffffff\r\nabc");
  // A first chunk that is cut, known by what text has not.
  EXPECT_EQ(dechunked("ffff\r\n\x01\x02", false), "\x01\x02");
  EXPECT_EQ(dechunked("ffff\r\n\xef\xbb\xbf <p>", false), "\xef\xbb\xbf <p>");
  EXPECT_EQ(dechunked("0\r\n\r\n"), "");
  EXPECT_EQ(dechunked(""), "");
}

// Text that was stored without its chunks may begin with a line that reads as a number.
TEST(Dechunk, ABodyThatIsNotChunkedStays) {
  for (const std::string text : {
           "10\r\nreasons why the sky is blue today\r\nand a second line",
           "a\r\nstory of one city and of another",
           "cafe\r\nis a place for coffee",
           "2024\r\nwas a year",
           "3\r\nabc\r\nnot a size but text",
           "5; more\r\nwords than five",
           "face\r\n\ttext with blanks, and an escape \x1b$B of ISO-2022",
       }) {
    EXPECT_EQ(dechunked(text), text);
  }
}

RC_GTEST_PROP(Dechunk, UndoesChunking, (const std::vector<std::string>& chunks)) {
  std::string coded;
  std::string plain;
  for (const std::string& chunk : chunks) {
    if (chunk.empty()) continue;
    char size[20];
    std::snprintf(size, sizeof(size), "%zX\r\n", chunk.size());
    coded += size + chunk + "\r\n";
    plain += chunk;
  }
  RC_ASSERT(dechunked(coded + "0\r\n\r\n") == plain);
}

struct Decoded {
  std::string body;
  size_t arena_bytes;  // that decoding took
  DecodedBody outcome;
};

Decoded decode(std::string_view codings, std::string coded, size_t limit = 1u << 20) {
  Arena source(coded);
  const Slice all = source.take(coded.size());
  std::string bytes;
  Arena out(bytes);
  out.append("before");
  PayloadDecoder decoder;
  Decoded decoded;
  decoded.outcome = decoder.decode(codings, source, all, limit, out);
  decoded.body = decoded.outcome.in_source ? source.view(decoded.outcome.body)
                                           : out.view(decoded.outcome.body);
  decoded.arena_bytes = bytes.size();
  return decoded;
}

TEST(Payload, ContentCodings) {
  const std::string html = "<p>" + std::string(5000, 'x');
  EXPECT_EQ(decode("gzip", gzip(html)).body, html);
  EXPECT_EQ(decode("X-GZIP", gzip(html)).body, html);
  EXPECT_EQ(decode("gzip", gzip("<p>") + gzip("more")).body, "<p>more");
  EXPECT_EQ(decode("deflate", zlib(html)).body, html);
  EXPECT_EQ(decode("deflate", raw_deflate(html)).body, html);
  EXPECT_EQ(decode("br", brotli(html)).body, html);
  EXPECT_EQ(decode("zstd", zstd(html)).body, html);
  EXPECT_EQ(decode("deflate, identity, gzip", gzip(zlib(html))).body, html);
  EXPECT_EQ(decode("br,gzip,zstd,deflate", zlib(zstd(gzip(brotli(html))))).body, html);
  EXPECT_NE(*decode("gzip,gzip,gzip,gzip,gzip", html).outcome.problem, '\0');
}

TEST(Payload, BodiesStoredDecodedAreTaken) {
  for (const char* coding : {"gzip", "deflate", "br", "zstd", "", "identity", "utf-8"}) {
    const Decoded decoded = decode(coding, "<html><p>as it is");
    EXPECT_EQ(decoded.body, "<html><p>as it is") << coding;
    EXPECT_EQ(std::string(decoded.outcome.problem), "") << coding;
  }
}

TEST(Payload, CutAndWrongBodies) {
  const std::string html = "<p>" + std::string(50'000, 'x');
  std::string coded = gzip(html);
  const Decoded shorter = decode("gzip", coded.substr(0, coded.size() - 9));
  EXPECT_TRUE(shorter.outcome.short_);
  EXPECT_TRUE(html.starts_with(shorter.body));
  EXPECT_GT(shorter.body.size(), 100u);
  coded[coded.size() - 6] ^= 1;
  EXPECT_NE(std::string(decode("gzip", coded).outcome.problem), "");
}

TEST(Payload, ABombIsBounded) {
  const std::string bomb = gzip(std::string(64u << 20, ' '));
  ASSERT_LT(bomb.size(), 70'000u);
  const Decoded decoded = decode("gzip", bomb, 1000);
  EXPECT_EQ(decoded.body.size(), 1000u);
  EXPECT_TRUE(decoded.outcome.cut);
  const Decoded twice = decode("gzip, gzip", gzip(bomb), 1u << 20);
  EXPECT_EQ(twice.body.size(), 1u << 20);
  EXPECT_TRUE(twice.outcome.cut);
  // A body of exactly the limit is not cut.
  const Decoded exact = decode("gzip", gzip(std::string(1000, 'x')), 1000);
  EXPECT_EQ(exact.body.size(), 1000u);
  EXPECT_FALSE(exact.outcome.cut);
}

// 64 MiB of blanks, packed by brotli at its best.
std::string brotli_bomb() {
  return std::string(
      "\xcf\xff\xff\x7f\xf8\x25\x40\xe2\xb1\x40\x20\xf7\xfe\x9f\xff\xff\xff\xf0\x4b\x00"
      "\xc4\x61\x01\x80\xee\xfd\x3f\xff\xff\xff\xe1\x97\x00\x88\xc3\x22\x00\xdd\xfb\xff"
      "\xfc\xff\xff\xc7\x2f\x01\x10\x87\x05\x00\xba\xf7\xff",
      53);
}

TEST(Payload, BombsOfEveryCodingCostOnePage) {
  const std::string blanks(64u << 20, ' ');
  constexpr size_t kLimit = 1u << 20;
  const std::pair<const char*, std::string> bombs[] = {
      {"gzip", gzip(blanks)},
      {"deflate", zlib(blanks)},
      {"deflate", raw_deflate(blanks)},
      {"zstd", zstd(blanks)},
      {"br", brotli_bomb()},
      {"br, gzip", gzip(brotli_bomb())},
      {"gzip, gzip, gzip", gzip(gzip(gzip(blanks)))},
      {"br, zstd, deflate, gzip", gzip(zlib(zstd(brotli_bomb())))},
  };
  for (const auto& [codings, coded] : bombs) {
    SCOPED_TRACE(codings);
    const Decoded decoded = decode(codings, coded, kLimit);
    EXPECT_EQ(decoded.body, blanks.substr(0, kLimit));
    EXPECT_TRUE(decoded.outcome.cut);
    EXPECT_EQ(std::string(decoded.outcome.problem), "");
    EXPECT_LT(decoded.arena_bytes, 6 * kLimit);
  }
}

TEST(Payload, InsideRecords) {
  const TempDir dir;
  const std::string html = "Content-Type: text/html\r\n";
  const std::string chunked = html + "Transfer-Encoding: chunked\r\n";
  const std::string packed = gzip("<p>packed");
  char size[20];
  std::snprintf(size, sizeof(size), "%zx\r\n", packed.size());
  write_file(
      dir / "a.warc",
      warc_response("http://a/1", chunked, "3\r\n<p>\r\n3\r\nabc\r\n0\r\n\r\n") +
          warc_response("http://a/2", chunked, "<p>no chunks") +
          warc_response("http://a/3", chunked + "Content-Encoding: gzip\r\n",
                        size + packed + "\r\n0\r\n\r\n") +
          warc_response("http://a/4", chunked, "3\r\n<p>\r\n5\r\nab") +
          warc_response("http://a/5", html + "Content-Encoding: gzip\r\n", packed.substr(0, 10)) +
          warc_response("http://a/6", html + "Content-Encoding: zstd\r\n",
                        std::string("\x28\xb5\x2f\xfdnonsense")) +
          warc_response("http://a/7", "Content-Encoding: gzip\r\n", gzip("GIF89a")) +
          warc_response("http://a/8", "Content-Encoding: gzip\r\n", gzip("<p>untyped")) +
          warc_response("http://a/9", html + "Content-Encoding: gzip\r\n", gzip("")));
  const Crawl crawl = read_file_as_crawl(dir / "a.warc");
  EXPECT_THAT(crawl.urls(),
              ElementsAre("http://a/1", "http://a/2", "http://a/3", "http://a/4", "http://a/8"));
  ASSERT_EQ(crawl.pages.size(), 5u);
  EXPECT_EQ(crawl.pages[0].body, "<p>abc");
  EXPECT_EQ(crawl.pages[1].body, "<p>no chunks");
  EXPECT_EQ(crawl.pages[2].body, "<p>packed");
  EXPECT_EQ(crawl.pages[3].body, "<p>ab");
  EXPECT_EQ(crawl.pages[4].body, "<p>untyped");
  EXPECT_EQ(crawl.report.short_pages, 1u);
  EXPECT_EQ(crawl.skipped(Skip::damaged), 1u);
  EXPECT_EQ(crawl.skipped(Skip::image), 1u);
  EXPECT_EQ(crawl.skipped(Skip::empty), 2u);  // nothing could be unpacked, or there was nothing
  ASSERT_EQ(crawl.report.examples.size(), 1u);
}

}  // namespace
}  // namespace kith::crawl::test
