#include "bags/page_fragments.h"

#include <algorithm>

#include "bags/tables.h"
#include "base/hash.h"
#include "text/url/url.h"

namespace kith::bags {

void FragmentCounts::add(const PageDigest& page) {
  words += page.title_terms.size() + page.terms.size();
  long_words += page.long_words;
  links += page.links_met;
  bad_links += page.bad_links;
  self_links += page.self_links;
  aliases[static_cast<size_t>(AliasKind::canonical)] += !page.canonical.empty();
  aliases[static_cast<size_t>(AliasKind::refresh)] += !page.refresh.empty();
}

FragmentCounts& FragmentCounts::operator+=(const FragmentCounts& more) {
  words += more.words;
  long_words += more.long_words;
  links += more.links;
  bad_links += more.bad_links;
  self_links += more.self_links;
  windows += more.windows;
  text_words += more.text_words;
  left_out += more.left_out;
  kept_whole += more.kept_whole;
  for (size_t kind = 0; kind < alias_kinds; ++kind) aliases[kind] += more.aliases[kind];
  return *this;
}

Status PageFragments::add(const PageDigest& page) {
  const Key128 key = hash128(page.url);
  encoded_title_.assign(page.title_terms);
  const EncodedTerms& kept = encode(page);
  KITH_TRY(out_->add_page(key, page.url, page.title, byte_of({page.language, is_list(page)}),
                          content_of(page, kept), page.time));
  KITH_TRY(add_own_words(key, page, kept));
  if (options_.keep_aliases) fetched_.push_back(key);
  KITH_TRY(add_alias(AliasKind::canonical, key, page.canonical));
  KITH_TRY(add_alias(AliasKind::refresh, key, page.refresh));
  counts_.add(page);
  return add_links(key, page, kept);
}

Status PageFragments::add_own_words(const Key128& key, const PageDigest& page,
                                    const EncodedTerms& kept) {
  const std::string_view title = encoded_title_.all();
  if (options_.kind == BagKind::both) {
    KITH_TRY(out_->add_terms(FragmentKind::title, key, page.url, title));
    if (page.links_stand_alone) return Status::ok();  // what its links say is no content of it
  }
  const bool has_text = options_.kind != BagKind::anchor;
  if (!has_text) return out_->add_terms(FragmentKind::words, key, page.url, title);
  content_title_.clear();
  for (uint32_t i = 0; i < title_count; ++i) content_title_ += title;
  return out_->add_terms(FragmentKind::words, key, page.url, content_title_, own_text(kept));
}

// What bags of both kinds know the copies of a page by: its title and the blocks that are kept.
uint64_t PageFragments::content_of(const PageDigest& page, const EncodedTerms& kept) const {
  const uint64_t left_out = filter_ ? filter_->left_out() : 0;
  const bool is_known = page.terms.size() - left_out >= min_copied_words && !kept.all().empty();
  if (options_.kind != BagKind::both || page.blocks.empty() || !is_known) return 0;
  uint64_t hash = hash64(page.title);
  for (size_t i = 0; i < page.blocks.size(); ++i) {
    if (filter_ && filter_->leaves_out(i)) continue;
    hash = mix64(hash ^ page.blocks[i].hash);
  }
  return hash | 1;
}

// Of the blocks that are kept. Short pages are lists of nothing.
bool PageFragments::is_list(const PageDigest& page) const {
  constexpr uint64_t min_words = 50;
  uint64_t words = 0;
  uint64_t of_links = 0;
  for (size_t i = 0; i < page.blocks.size(); ++i) {
    if (filter_ && filter_->leaves_out(i)) continue;
    const size_t end = i + 1 < page.blocks.size() ? page.blocks[i + 1].begin : page.terms.size();
    words += end - page.blocks[i].begin;
    of_links += page.blocks[i].link_words;
  }
  return words >= min_words && of_links * 2 > words;
}

// The words of the text, and what is left of them without the boilerplate.
const EncodedTerms& PageFragments::encode(const PageDigest& page) {
  encoded_.assign(page.terms);
  if (!filter_) return encoded_;
  const std::span<const uint32_t> kept = filter_->filter(page);
  counts_.text_words += page.terms.size();
  if (kept.data() == page.terms.data()) return encoded_;
  counts_.left_out += filter_->left_out();
  encoded_kept_.assign(kept);
  return encoded_kept_;
}

// A page of nothing but boilerplate keeps it, unless it has a title.
std::string_view PageFragments::own_text(const EncodedTerms& kept) {
  if (!kept.all().empty() || !encoded_title_.all().empty() || encoded_.all().empty()) {
    return kept.all();
  }
  ++counts_.kept_whole;
  return encoded_.all();
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

Status PageFragments::add_links(const Key128& key, const PageDigest& page,
                                const EncodedTerms& kept) {
  const size_t window = page.links_stand_alone ? 0 : options_.window;
  const LinkSource source{static_cast<uint32_t>(hash64(text::host_of(page.url))),
                          static_cast<uint32_t>(key.low)};
  for (size_t i = 0; i < page.links.size(); ++i) {
    page.link_urls.read(i, link_url_);
    const Key128 target = hash128(link_url_);
    if (options_.kind == BagKind::content) {
      KITH_TRY(out_->add_inlink(target, link_url_));
    } else {
      KITH_TRY(add_window(target, source, page.links[i], window, kept));
    }
  }
  return Status::ok();
}

// The anchor text and `window` words on either side, of which boilerplate is left out.
Status PageFragments::add_window(const Key128& target, LinkSource source, const DigestLink& link,
                                 size_t window, const EncodedTerms& kept) {
  const size_t begin = link.begin - std::min<size_t>(link.begin, window);
  const size_t end = std::min<size_t>(encoded_.words(), link.end + window);
  ++counts_.windows;
  if (&kept == &encoded_) {
    return out_->add_link(target, link_url_, source, encoded_.slice(begin, end));
  }
  window_ = kept.slice(begin, link.begin);
  window_ += encoded_.slice(link.begin, link.end);
  return out_->add_link(target, link_url_, source, window_, kept.slice(link.end, end));
}

}  // namespace kith::bags
