#include "bags/page_fragments.h"

#include <algorithm>

namespace kith::bags {
namespace {

// Titles are for people to read; a longer one is cut at a character.
constexpr size_t longest_title = 300;

std::string_view cut_title(std::string_view title) {
  if (title.size() <= longest_title) return title;
  size_t end = longest_title;
  while (end > 0 && (static_cast<unsigned char>(title[end]) & 0xc0) == 0x80) --end;
  return title.substr(0, end);
}

}  // namespace

PageFragments::PageFragments(const FragmentOptions& options, TermReader& terms, FragmentWriter& out)
    : options_(options), terms_(&terms), out_(&out) {}

void PageFragments::read_words(text::Language language, std::string_view text) {
  splitter_.reset(text);
  terms_->read(language, splitter_, word_terms_, word_offsets_);
  encoded_.assign(word_terms_);
  counts_.words += word_terms_.size();
}

Status PageFragments::add(const text::Url& url, const text::HtmlText& page,
                          std::string_view title) {
  if (title.empty()) title = page.title;
  const Key128 key = hash128(url.href);
  const text::Language language =
      options_.language ? *options_.language : text::detect_language(page.language, page.text);
  KITH_TRY(out_->add_page(key, url.href, cut_title(title)));

  read_words(language, title);
  own_words_ = encoded_.all();
  read_words(language, page.text);
  if (options_.kind == BagKind::content) own_words_ += encoded_.all();
  KITH_TRY(out_->add_terms(FragmentKind::words, key, url.href, own_words_));
  if (options_.keep_aliases) fetched_.push_back(key);
  const bool has_base = !page.base_href.empty() && text::parse_url(page.base_href, &url, base_);
  const text::Url& base = has_base ? base_ : url;
  if (!page.canonical.empty()) add_alias(AliasKind::canonical, url, base, page.canonical);
  if (!page.refresh.empty()) add_alias(AliasKind::refresh, url, base, page.refresh);
  if (options_.kind == BagKind::content && !options_.count_inlinks) return Status::ok();
  return add_links(url, base, page);
}

void PageFragments::add_redirect(const text::Url& url, std::string_view location) {
  add_alias(AliasKind::redirect, url, url, location);
}

void PageFragments::add_alias(AliasKind kind, const text::Url& url, const text::Url& base,
                              std::string_view target) {
  if (!text::parse_url(target, &base, target_) || target_.href == url.href) return;
  ++counts_.aliases[static_cast<size_t>(kind)];
  if (options_.keep_aliases) aliases_.push_back({hash128(url.href), kind, target_.href});
}

Status PageFragments::add_links(const text::Url& url, const text::Url& base,
                                const text::HtmlText& page) {
  const size_t window = page.links_stand_alone ? 0 : options_.window;
  auto word = word_offsets_.begin();
  for (const text::HtmlLink& link : page.links) {
    ++counts_.links;
    if (!text::parse_url(page.href(link), &base, target_)) {
      ++counts_.bad_links;
      continue;
    }
    if (target_.href == url.href) {
      ++counts_.self_links;
      continue;
    }
    if (options_.links == LinkScope::external && target_.host() == url.host()) continue;
    const Key128 key = hash128(target_.href);
    if (options_.kind == BagKind::content) {
      KITH_TRY(out_->add_inlink(key, target_.href));
      continue;
    }
    word = std::lower_bound(word, word_offsets_.end(), link.text_begin);
    const auto end = std::lower_bound(word, word_offsets_.end(), link.text_end);
    KITH_TRY(add_window(key, target_.href, static_cast<size_t>(word - word_offsets_.begin()),
                        static_cast<size_t>(end - word_offsets_.begin()), window));
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
