#include "bags/page_digest.h"

#include <algorithm>

namespace kith::bags {
namespace {

// Titles are for people to read; a longer one is cut at a character.
constexpr size_t longest_title = 300;

// A long base URL before very many short links would make a few megabytes a thousand times larger.
constexpr size_t most_link_bytes = 256 << 20;

// Of a page of more words they are not kept while its digest is used.
constexpr size_t most_kept_offsets = 1 << 18;

std::string_view cut_title(std::string_view title) {
  if (title.size() <= longest_title) return title;
  size_t end = longest_title;
  while (end > 0 && (static_cast<unsigned char>(title[end]) & 0xc0) == 0x80) --end;
  return title.substr(0, end);
}

}  // namespace

void PageDigest::free() {
  free_memory(title_terms);
  free_memory(terms);
  free_memory(links);
  free_memory(link_urls);
}

const PageDigest& PageDigester::read(const text::Url& url, const text::HtmlText& page,
                                     std::string_view title) {
  if (title.empty()) title = page.title;
  const text::Language language =
      options_.language ? *options_.language : text::detect_language(page.language, page.text);
  digest_.url = url.href;
  digest_.title = cut_title(title);
  digest_.links_stand_alone = page.links_stand_alone;
  read_words(language, title, digest_.title_terms);
  read_words(language, page.text, digest_.terms);
  const bool has_base = !page.base_href.empty() && text::parse_url(page.base_href, &url, base_);
  const text::Url& base = has_base ? base_ : url;
  digest_.canonical.clear();
  digest_.refresh.clear();
  if (!page.canonical.empty()) {
    digest_.canonical = other_url(url, base, page.canonical).value_or("");
  }
  if (!page.refresh.empty()) digest_.refresh = other_url(url, base, page.refresh).value_or("");
  read_links(url, base, page);
  if (word_offsets_.size() > most_kept_offsets) free_memory(word_offsets_);
  return digest_;
}

std::optional<std::string_view> PageDigester::other_url(const text::Url& url, const text::Url& base,
                                                        std::string_view link) {
  if (!text::parse_url(link, &base, target_) || target_.href == url.href) return std::nullopt;
  return target_.href;
}

void PageDigester::read_words(text::Language language, std::string_view text,
                              std::vector<uint32_t>& terms) {
  splitter_.reset(text);
  terms_->read(language, splitter_, terms, word_offsets_);
}

void PageDigester::read_links(const text::Url& url, const text::Url& base,
                              const text::HtmlText& page) {
  PageDigest& digest = digest_;
  digest.links.clear();
  digest.link_urls.clear();
  digest.links_met = digest.bad_links = digest.self_links = 0;
  if (options_.kind == BagKind::content && !options_.count_inlinks) return;
  auto word = word_offsets_.begin();
  for (const text::HtmlLink& link : page.links) {
    ++digest.links_met;
    if (!text::parse_url(page.href(link), &base, target_)) {
      ++digest.bad_links;
      continue;
    }
    if (target_.href == url.href) {
      ++digest.self_links;
      continue;
    }
    if (options_.links == LinkScope::external && target_.host() == url.host()) continue;
    if (target_.href.size() > most_link_bytes - digest.link_urls.size()) {
      ++digest.bad_links;
      continue;
    }
    digest.link_urls += target_.href;
    word = std::lower_bound(word, word_offsets_.end(), link.text_begin);
    const auto end = std::lower_bound(word, word_offsets_.end(), link.text_end);
    digest.links.push_back({static_cast<uint32_t>(digest.link_urls.size()),
                            static_cast<uint32_t>(word - word_offsets_.begin()),
                            static_cast<uint32_t>(end - word_offsets_.begin())});
  }
}

}  // namespace kith::bags
