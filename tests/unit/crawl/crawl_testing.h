// Makes crawl files in memory, and reads pages to compare them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawl/page_reader.h"

namespace kith::crawl::test {

// A WARC record with its head and the two line breaks behind it.
std::string warc_record(std::string_view type, std::string_view url, std::string_view content_type,
                        std::string_view content);

// A response record: "HTTP/1.1 200 OK", `fields` (lines that end in CRLF) and `body`.
std::string warc_response(std::string_view url, std::string_view fields, std::string_view body);

// A response of type text/html without codings.
std::string warc_page(std::string_view url, std::string_view html);

// One gzip member, one zlib stream, one raw deflate stream, one zstd frame.
std::string gzip(std::string_view bytes);
std::string zlib(std::string_view bytes);
std::string raw_deflate(std::string_view bytes);
std::string zstd(std::string_view bytes);
// A brotli stream of one uncompressed meta-block (RFC 7932, 9.2); bytes: 1 to 65536.
std::string brotli(std::string_view bytes);

// A page that owns its bytes.
struct OwnedPage {
  std::string url;
  PageKind kind;
  std::string charset;
  std::string title;
  std::string body;
  friend bool operator==(const OwnedPage&, const OwnedPage&) = default;
};

struct Crawl {
  std::vector<OwnedPage> pages;
  CrawlReport report;

  uint64_t skipped(Skip kind) const { return report.skipped[static_cast<size_t>(kind)]; }
  std::vector<std::string> urls() const;
};

// Reads everything with some threads; the pages in input order. Fails the test on an error.
Crawl read_crawl(const CrawlOptions& options, int threads = 1, Admit admit = {});
Crawl read_file_as_crawl(const std::string& path);

}  // namespace kith::crawl::test
