// Where a page points, as hashes of canonical URLs: what in-links are counted from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/html/html.h"
#include "text/url/url.h"

namespace kith::jobs {

// One worker's reader of links; its buffers are reused. Not thread-safe.
class PageLinks {
 public:
  // `name`: the URL of the page as its record spells it. A page without an http(s) URL has no
  // links: nobody can link to it, and it is no page that could be counted as another one's source.
  void read(std::string_view name, const text::HtmlText& page);

  bool has_url() const { return has_url_; }
  // XXH3-64 of the canonical URL (text/url/url.h). REQUIRES: has_url().
  uint64_t url() const { return url_hash_; }
  // Of the URLs of its links, relative to <base href> where there is one: ascending, each once. Not
  // of the page's own, nor of what is no http(s) URL.
  std::span<const uint64_t> targets() const { return targets_; }

 private:
  bool has_url_ = false;
  uint64_t url_hash_ = 0;
  std::vector<uint64_t> targets_;
  text::Url url_;
  text::Url base_;
  text::Url target_;
};

}  // namespace kith::jobs
