// Makes crawl files in memory, and reads pages to compare them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawl/read/page_reader.h"

namespace kith::crawl::test {

// The path of a file of tests/data/warc.
std::string warc_data(const std::string& name);

// A WARC record with its head and the two line breaks behind it.
std::string warc_record(std::string_view type, std::string_view url, std::string_view content_type,
                        std::string_view content);

// A response record: "HTTP/1.1 200 OK", `fields` (lines that end in CRLF) and `body`.
std::string warc_response(std::string_view url, std::string_view fields, std::string_view body);

// A response of type text/html without codings.
std::string warc_page(std::string_view url, std::string_view html);

// The records of a WAT file about one response: `response` is the JSON of its
// HTTP-Response-Metadata. First one about the request, under the same URL.
std::string wat_records(std::string_view url, std::string_view response);

// An ARC record: head line, `content` and a line break.
std::string arc_record(std::string_view url, std::string_view content);

// One gzip member, one zlib stream, one raw deflate stream, one zstd frame.
std::string gzip(std::string_view bytes);
std::string zlib(std::string_view bytes);
std::string raw_deflate(std::string_view bytes);
std::string zstd(std::string_view bytes);
// A zstd dictionary made of samples, a frame packed with it, and a skippable frame (RFC 8878,
// 3.1.2) whose magic ends in `kind` (0 to 15).
std::string zstd_dictionary(const std::vector<std::string>& samples);
std::string zstd(std::string_view bytes, std::string_view dictionary);
std::string zstd_skippable(unsigned kind, std::string_view content);
// One bzip2 stream, one xz stream, one lz4 frame.
std::string bzip2(std::string_view bytes);
std::string xz(std::string_view bytes);
std::string lz4(std::string_view bytes);
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

// A redirect from url to target.
struct Redirect {
  std::string url;
  std::string target;
  uint16_t status;
  friend bool operator==(const Redirect&, const Redirect&) = default;
};

struct Crawl {
  std::vector<OwnedPage> pages;
  std::vector<Redirect> redirects;
  CrawlReport report;

  uint64_t skipped(Skip kind) const { return report.skipped[static_cast<size_t>(kind)]; }
  std::vector<std::string> urls() const;
};

// Reads everything with some threads; the pages in input order. Fails the test on an error.
Crawl read_crawl(const CrawlOptions& options, int threads = 1, Admit admit = {});
Crawl read_file_as_crawl(const std::string& path);

}  // namespace kith::crawl::test
