// Which captures of a URL are pages: by the spelling of URLs (--url-rules) and by dates.
#pragma once

#include <cstdint>
#include <optional>

#include "base/hash.h"
#include "base/page_keys.h"
#include "crawl/read/page_reader.h"
#include "text/url/url.h"
#include "text/url/url_rules.h"

namespace kith::run {

// By what captures are told apart.
struct CaptureKeys {
  Key128 url;                      // as the rules spell it
  std::optional<Key128> spelling;  // of the URL before, which no URL has; nothing without rules
};

// Rewrites a canonical URL by the rules; of a page, a link or a list alike. Pure.
CaptureKeys rewrite(const text::UrlRules& rules, text::Url& url);

enum class PageChoice : uint8_t { add, take };

// Adds the captures of pages, in the order of the input, to keys that outlive it, or takes those
// that were added. One thread at a time.
class CaptureChoice {
 public:
  CaptureChoice(PageKeys& keys, PageChoice choice) : keys_(&keys), choice_(choice) {}

  // Whether the capture is a page, or as what it is passed over: `joined`, the first one of its
  // spelling, or `duplicate`.
  crawl::Admission choose(const CaptureKeys& capture, int64_t time);

 private:
  bool take(const Key128& key, int64_t time) {
    return choice_ == PageChoice::add ? keys_->add(key, time) : keys_->take(key, time);
  }

  PageKeys* keys_;
  PageChoice choice_;
};

}  // namespace kith::run
