// Crawled pages on their way to text: what `kith cluster` and `kith crawl` share.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "base/page_keys.h"
#include "base/parallel/thread_pool.h"
#include "crawl/read/page_reader.h"
#include "run/captures.h"
#include "run/memory_budget.h"
#include "text/html/html.h"
#include "text/html/wat.h"

namespace kith::run {

// What a crawl is read by. The options are valid.
Result<crawl::CrawlOptions> crawl_options(const ReadOptions& options);

// A reader of pages with an http(s) URL, of the sound captures of each in the share that is read
// the one that `keys` adds or, if all have been added before, takes. `keys` are of those that were
// taken, with rules of spelling also of their spellings, and outlive the reader. The options are
// valid. decoded_bytes: see crawl::CrawlOptions; 0: its default.
Result<crawl::PageReader> open_pages(const ReadOptions& options, CaptureChoice captures,
                                     crawl::Share share = {}, uint64_t decoded_bytes = 0);
Result<crawl::PageReader> open_pages(const ReadOptions& options, PageKeys& keys,
                                     crawl::Share share = {}, uint64_t decoded_bytes = 0,
                                     PageChoice choice = PageChoice::add);

// Adds all captures of the reader to its keys, which are those of open_pages(), and to nothing
// else. An error when the memory is too small for so many.
Status add_captures(crawl::PageReader& reader, const PageKeys& keys, const Budget& memory,
                    ThreadPool& pool, const ProgressCallback& progress);

// What is to be said where captures are chosen by their dates, but the input can be read once only.
Error needs_files();

// Calls add for every page until it returns an error: on as many threads at once as the budget has
// room for, the pages of a batch by one worker and in their order. Large pages come one at a time,
// and behind each forget() is to free what the worker's buffers have grown to.
using AddPage =
    std::function<Status(unsigned worker, const crawl::PageBatch& batch, const crawl::Page& page)>;
using ForgetBuffers = std::function<void(unsigned worker)>;
Status read_pages(crawl::PageReader& reader, const ReadingBudget& budget, ThreadPool& pool,
                  const ProgressCallback& progress, const AddPage& add,
                  const ForgetBuffers& forget);

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

}  // namespace kith::run
