// The pages of a crawl as kith reads them: one after the other, or as lists.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kith/extract.h"
#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// The pages of a crawl, one after the other, as `kith cluster` reads them
// (docs/formats/inputs.md).
//
//   auto pages = kith::PageReader::open({.inputs = {"crawl.warc.gz"}});
//   while (true) {
//     const auto page = pages->next();
//     if (!page) return page.error();
//     if (!*page) break;
//     ... (*page)->url, (*page)->text, (*page)->links ...
//   }

struct CrawledPage : ExtractedPage {
  std::string url;      // canonical
  uint16_t status = 0;  // of HTTP; 0 when the crawl file holds none
  bool is_cut = false;  // longer than max_page, and cut there
  std::string date;     // of the capture, "2026-11-24T12:00:00Z"; empty when not known
};

// Reads every page once: the first sound capture of each URL, in the order of the input. The same
// input and options give the same pages. Not thread-safe; different readers may be used at once.
// Holds one batch of pages, some megabytes or one page of max_page.
class PageReader {
 public:
  // words: whether ExtractedPage::words is filled. Errors: an option out of range, a file that does
  // not exist or has no known format.
  static Result<PageReader> open(const ReadOptions& options, bool words = true);
  ~PageReader();
  PageReader(PageReader&&) noexcept;
  PageReader& operator=(PageReader&&) noexcept;

  // The next page; nothing at the end. An error when a file can no longer be read or, with
  // options.strict, a record is damaged; the reader is then at its end.
  Result<std::optional<CrawledPage>> next();

  // Bytes of input that were read, and of all; 0 when a pipe hides it.
  uint64_t bytes_done() const;
  uint64_t bytes_total() const;
  // What was read and what was passed over so far.
  CrawlCounts counts() const;

 private:
  struct State;
  explicit PageReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A look into a crawl: its pages as kith reads them, one by one.

// A page. The views are valid during the call they are handed to.
struct PageRow {
  std::string_view url;   // canonical
  uint16_t status = 0;    // of HTTP; 0 when the crawl file holds none
  std::string_view type;  // "text/html": the media type; what kith takes it for when none is named
  std::string_view charset;   // that it was decoded from, as the WHATWG names it: "windows-1252"
  std::string_view language;  // a tag, "en"; "other" when there is no stemmer for it
  uint64_t words = 0;         // of title and text, stop words included
  uint64_t links = 0;         // <a href> and <area href>
  // Where it comes from.
  std::string_view spelled;  // the URL as the crawl file has it
  std::string date;          // of the capture, "2026-11-24T12:00:00Z"; empty when not known
  std::string_view digest;   // of the payload, as a WARC record has it: "sha1:..."; else empty
  std::string_view file;     // the crawl file, as ReadOptions::inputs name it
  uint64_t offset = 0;       // of the record, in bytes of the file as it lies on disk
  // Bytes of the record there, without line breaks behind it in a plain file; 0 when it has no
  // place of its own: outside of WARC and ARC files, and in a compressed one whose members hold
  // several records.
  uint64_t length = 0;
};

// The line of a page in a CDXJ index: "org,example)/a 20261124120000 {...}", with the fields url,
// mime, status, digest, length, offset and filename, those that are known. An error of kind usage
// that says what the file lacks where the page has no place of its own or no date.
Result<std::string> cdxj_line(const PageRow& row);

// Calls take(row) for every page that kith::cluster_crawl would use, in the order of the input,
// until it returns false; then what was read and what was passed over. The same input and options
// give the same rows.
Result<CrawlCounts> list_pages(const ReadOptions& options,
                               const std::function<bool(const PageRow&)>& take,
                               const ProgressCallback& progress = {});

// A template block of a site: words that stand on many of its pages, which `kith cluster` leaves
// out of bags (docs/algorithms/boilerplate.md).
struct TemplateBlock {
  std::string host;
  uint64_t pages = 0;  // of the host, that have the block
  uint64_t of = 0;     // pages of the host
  uint64_t words = 0;  // in the block
  std::string text;    // of the first page that has it, cut after 200 bytes
};

// Calls take(block) for every template block of every host, by the order of the hosts, the blocks
// of most pages first, until it returns false; then what was read. The inputs are read three times,
// so none of them may be standard input. scratch: a folder that exists, for temporary files.
// Memory: up to a quarter of what a run takes without --memory, and some 300 bytes per block that
// is found. The same input and options give the same blocks.
Result<CrawlCounts> list_templates(const ReadOptions& options, const std::string& scratch,
                                   const std::function<bool(const TemplateBlock&)>& take,
                                   const ProgressCallback& progress = {});

}  // namespace kith

#pragma GCC visibility pop
