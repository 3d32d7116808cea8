// A look into a crawl: its pages as kith reads them, one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

namespace kith {

// A page. The views are valid during the call they are handed to.
struct PageRow {
  std::string_view url;   // canonical
  uint16_t status = 0;    // of HTTP; 0 when the crawl file holds none
  std::string_view type;  // "text/html": the media type; what kith takes it for when none is named
  std::string_view charset;   // that it was decoded from, as the WHATWG names it: "windows-1252"
  std::string_view language;  // a tag, "en"; "other" when there is no stemmer for it
  uint64_t words = 0;         // of title and text, stop words included
  uint64_t links = 0;         // <a href> and <area href>
};

// Calls take(row) for every page that kith::cluster would use, in the order of the input, until
// it returns false; then what was read and what was passed over. The same input and options
// give the same rows.
Result<CrawlCounts> list_pages(const ReadOptions& options,
                               const std::function<bool(const PageRow&)>& take,
                               const ProgressCallback& progress = {});

}  // namespace kith
