#include "bags/page_fragments.h"

#include <algorithm>

namespace kith::bags {

void FragmentCounts::add(const PageDigest& page) {
  words += page.title_terms.size() + page.terms.size();
  links += page.links_met;
  bad_links += page.bad_links;
  self_links += page.self_links;
  aliases[static_cast<size_t>(AliasKind::canonical)] += !page.canonical.empty();
  aliases[static_cast<size_t>(AliasKind::refresh)] += !page.refresh.empty();
}

FragmentCounts& FragmentCounts::operator+=(const FragmentCounts& more) {
  words += more.words;
  links += more.links;
  bad_links += more.bad_links;
  self_links += more.self_links;
  windows += more.windows;
  for (size_t kind = 0; kind < alias_kinds; ++kind) aliases[kind] += more.aliases[kind];
  return *this;
}

Status PageFragments::add(const PageDigest& page) {
  const Key128 key = hash128(page.url);
  KITH_TRY(out_->add_page(key, page.url, page.title));
  encoded_title_.assign(page.title_terms);
  encoded_.assign(page.terms);
  const bool has_text = options_.kind == BagKind::content;
  KITH_TRY(out_->add_terms(FragmentKind::words, key, page.url, encoded_title_.all(),
                           has_text ? encoded_.all() : ""));
  if (options_.keep_aliases) fetched_.push_back(key);
  KITH_TRY(add_alias(AliasKind::canonical, key, page.canonical));
  KITH_TRY(add_alias(AliasKind::refresh, key, page.refresh));
  counts_.add(page);
  return add_links(page);
}

Status PageFragments::add_redirect(const Key128& url, std::string_view target) {
  ++counts_.aliases[static_cast<size_t>(AliasKind::redirect)];
  return add_alias(AliasKind::redirect, url, target);
}

Status PageFragments::add_alias(AliasKind kind, const Key128& url, std::string_view target) {
  if (!options_.keep_aliases || target.empty()) return Status::ok();
  aliases_.push_back({url, kind, std::string(target)});
  if (alias_memory_ == nullptr) return Status::ok();
  alias_memory_->add(aliases_.back());
  return alias_memory_->status();
}

Status PageFragments::add_links(const PageDigest& page) {
  const size_t window = page.links_stand_alone ? 0 : options_.window;
  for (size_t i = 0; i < page.links.size(); ++i) {
    const DigestLink& link = page.links[i];
    page.link_urls.read(i, link_url_);
    const Key128 key = hash128(link_url_);
    if (options_.kind == BagKind::content) {
      KITH_TRY(out_->add_inlink(key, link_url_));
    } else {
      KITH_TRY(add_window(key, link_url_, link.begin, link.end, window));
    }
  }
  return Status::ok();
}

// The window is the anchor text's words [begin, end) and `window` words on either side.
Status PageFragments::add_window(const Key128& target, std::string_view url, size_t begin,
                                 size_t end, size_t window) {
  begin -= std::min(begin, window);
  end = std::min<size_t>(encoded_.words(), end + window);
  ++counts_.windows;
  return out_->add_terms(FragmentKind::link, target, url, encoded_.slice(begin, end));
}

}  // namespace kith::bags
