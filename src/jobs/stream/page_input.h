// The pages of a stream from files that may grow, each read from where it was left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "kith/status.h"
#include "kith/stream.h"

#include "crawl/read/page.h"
#include "run/pages.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith::jobs {

// Whether a file is the one that was read under its name before, and how far it was read.
struct SourceStart {
  StreamSource as;        // its size and hash now, and the record to begin with
  bool is_other = false;  // other content had that name before
};

// before: what is known of the name. A file with the size and hash of before, or one that begins
// with so many bytes of that hash, goes on at before.next; any other begins at 0. The hash is of
// the first and last bytes, so that a large file is not read twice.
Result<SourceStart> start_of(const std::string& path, const StreamSource& before);

// Pages of a crawl as a stream takes them.

// Since 1970, by the clock of the machine.
int64_t now_ms();

// Not thread-safe.
class PageInput {
 public:
  // language: of all pages; empty: that of each. rules: of the spelling of URLs.
  PageInput(std::string language, text::UrlRules rules)
      : language_(std::move(language)), rules_(std::move(rules)) {}

  // The page under its canonical URL, by the rules, with its text unless it is a removal or was
  // cut, and with the time of the clock where it has none. Valid until the next call, as long as
  // the page. REQUIRES: no redirect.
  StreamPage read(const crawl::Page& page);
  // Pages whose URLs the rules have changed.
  uint64_t respelled() const { return respelled_; }

 private:
  // Canonical; what is no URL as it stands.
  std::string_view name_of(std::string_view url);

  std::string language_;
  text::UrlRules rules_;
  uint64_t respelled_ = 0;
  run::PageText text_;
  text::Url url_;
};

}  // namespace kith::jobs
