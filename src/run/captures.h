// Which captures of a URL are pages: by the spelling of URLs (--url-rules) and by dates.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

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

// Chooses among the captures of pages, in the order of the input. One thread at a time.
class CaptureChoice {
 public:
  // Adds them to keys that outlive it, or takes those that were added.
  CaptureChoice(PageKeys& keys, PageChoice choice);
  // Others do: take() says whether a capture of a URL is its page.
  using Take = std::function<bool(const Key128& url, int64_t time)>;
  explicit CaptureChoice(Take take) : take_(std::move(take)) {}

  // Whether the capture is a page, or as what it is passed over: `joined`, the first one of its
  // spelling, or `duplicate`.
  crawl::Admission choose(const CaptureKeys& capture, int64_t time);

 private:
  Take take_;
};

}  // namespace kith::run
