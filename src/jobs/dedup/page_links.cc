#include "jobs/dedup/page_links.h"

#include <algorithm>

#include "base/hash.h"

namespace kith::jobs {

void PageLinks::read(std::string_view name, const text::HtmlText& page) {
  targets_.clear();
  has_url_ = text::parse_url(name, nullptr, url_);
  if (!has_url_) return;
  url_hash_ = hash64(url_.href);
  const bool has_base = !page.base_href.empty() && text::parse_url(page.base_href, &url_, base_);
  for (const text::HtmlLink& link : page.links) {
    if (!text::parse_url(page.href(link), has_base ? &base_ : &url_, target_)) continue;
    const uint64_t hash = hash64(target_.href);
    if (hash != url_hash_) targets_.push_back(hash);
  }
  std::ranges::sort(targets_);
  targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
}

}  // namespace kith::jobs
