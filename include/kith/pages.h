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
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kith/extract.h"
#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

struct CrawledPage : ExtractedPage {
  std::string url;      // canonical
  uint16_t status = 0;  // of HTTP; 0 when the crawl file holds none
  bool is_cut = false;  // longer than max_page, and cut there
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

}  // namespace kith

#pragma GCC visibility pop
