// A made crawl as WARC/1.0, uncompressed: any shard of it, page by page.
#pragma once

#include <cstdint>
#include <string>

#include "kith/status.h"

#include "synthetic/crawl_page.h"
#include "synthetic/crawl_sites.h"

namespace kith::synthetic {

// The first field that is out of range, as an error of kind usage.
Status validate(const CrawlOptions& options);

// What has been written; those of all shards add up to those of the whole.
struct CrawlCounts {
  uint64_t records = 0;
  uint64_t pages = 0;       // captures with status 200
  uint64_t redirects = 0;   // captures with status 301
  uint64_t links = 0;       // in the pages
  uint64_t page_bytes = 0;  // of their HTML
};

// The records of a shard. The shards one after the other are the crawl, whatever their number:
// pages come in an order that mixes sites, and a page is the same in every shard. Not thread-safe.
class CrawlStream {
 public:
  // REQUIRES: validate(options), 1 <= shard <= shards.
  CrawlStream(const CrawlOptions& options, uint64_t shard, uint64_t shards);

  // Appends the records of the next page: its capture and, for some, one of an old URL that
  // redirects to it. False, without anything appended, at the end of the shard.
  bool next(std::string& out);

  const CrawlCounts& counts() const { return counts_; }

 private:
  uint64_t page_at(uint64_t turn) const;
  void add_info(std::string& out);
  void add_record(std::string_view url, std::string_view head, std::string_view body, uint64_t key,
                  std::string& out);

  CrawlOptions options_;
  PageWriter writer_;
  uint64_t offset_ = 0;  // page_at(turn) = (offset + turn * step) mod pages
  uint64_t step_ = 1;
  uint64_t turn_ = 0;
  uint64_t end_ = 0;
  bool needs_info_ = false;
  CrawlCounts counts_;
  std::string url_;
  std::string old_url_;
  std::string head_;
};

}  // namespace kith::synthetic
