// Pages of a crawl as a stream takes them.
#pragma once

#include <string>
#include <string_view>

#include "kith/stream.h"

#include "crawl/read/page.h"
#include "run/pages.h"
#include "text/url/url.h"

namespace kith::jobs {

// Since 1970, by the clock of the machine.
int64_t now_ms();

// Not thread-safe.
class PageInput {
 public:
  // language: of all pages; empty: that of each.
  explicit PageInput(std::string language) : language_(std::move(language)) {}

  // The page under its canonical URL, with its text unless it is a removal or was cut, and with the
  // time of the clock where it has none. Valid until the next call, as long as the page. REQUIRES:
  // no redirect.
  StreamPage read(const crawl::Page& page);

 private:
  std::string language_;
  run::PageText text_;
  text::Url url_;
};

}  // namespace kith::jobs
