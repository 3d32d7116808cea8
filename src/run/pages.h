// Crawled pages on their way to text: what `kith cluster` and `kith crawl` share.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_set.hpp>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "crawl/read/page_reader.h"
#include "run/memory_budget.h"
#include "text/html/html.h"
#include "text/html/wat.h"

namespace kith::run {

// Keys of the URLs of pages. One thread at a time adds; any may ask for the number.
class PageKeys {
 public:
  // Whether the key is new.
  bool add(const Key128& key);
  uint64_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  // Many tables: one that grows needs its old room and twice that besides.
  static constexpr size_t tables = 64;
  std::array<boost::unordered_flat_set<Key128, Key128Hash>, tables> keys_;
  std::atomic<uint64_t> size_ = 0;
};

// What a crawl is read by. The options are valid.
Result<crawl::CrawlOptions> crawl_options(const ReadOptions& options);

// A reader of pages with an http(s) URL, the first sound capture of each in the share that is read.
// `keys` are of those that were taken, with rules of spelling also of their spellings, and outlive
// the reader. The options are valid.
// decoded_bytes: see crawl::CrawlOptions; 0: its default.
Result<crawl::PageReader> open_pages(const ReadOptions& options, PageKeys& keys,
                                     crawl::Share share = {}, uint64_t decoded_bytes = 0);

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
