// Crawled pages on their way to text: what `kith cluster` and `kith crawl` share.
#pragma once

#include <string>
#include <string_view>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "crawl/page_reader.h"
#include "text/html.h"
#include "text/wat.h"

namespace kith::pipeline {

// A reader of pages with an http(s) URL, the first sound capture of each. The options are valid.
Result<crawl::PageReader> open_pages(const ReadOptions& options);

CrawlCounts counts_of(const crawl::CrawlReport& report);

// One worker's way from a page's bytes to text; its buffers are reused. Not thread-safe.
class PageText {
 public:
  // page: no redirect. The text is valid until the next call.
  const text::HtmlText& read(const crawl::Page& page);

  // The encoding that the last page was decoded from, by its WHATWG name.
  std::string_view charset() const { return charset_; }

 private:
  std::string utf8_buffer_;
  std::string_view charset_;
  text::HtmlText text_;
  text::WatReader wat_;
};

}  // namespace kith::pipeline
