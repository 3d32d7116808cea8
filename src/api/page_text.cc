#include "api/page_text.h"

#include "api/batch.h"
#include "text/words/terms.h"
#include "text/words/words.h"

namespace kith::api {
namespace {

uint64_t count_words(std::string_view text) {
  text::WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  uint64_t words = 0;
  splitter.reset(text);
  while (splitter.next(word, offset)) ++words;
  return words;
}

void append(std::string_view word, uint32_t offset, Words& words) {
  words.bytes += word;
  words.offsets.push_back(words.bytes.size());
  words.places.push_back(offset);
}

}  // namespace

Status check_language(std::string_view language) {
  if (language.empty() || text::language_of_tag(language)) return Status::ok();
  return usage(fmt::format(
      "language {}: no stemmer or stop words of that language; name one by its tag or its English "
      "name",
      language));
}

void read_words(std::string_view text, Words& words) {
  words = {};
  text::WordSplitter splitter;
  std::string_view word;
  uint32_t offset = 0;
  splitter.reset(text);
  while (splitter.next(word, offset)) append(word, offset, words);
}

void read_terms(std::string_view text, text::Language language, Words& terms) {
  terms = {};
  text::WordSplitter splitter;
  text::Stemmer stemmer;
  std::string_view word;
  uint32_t offset = 0;
  splitter.reset(text);
  while (splitter.next(word, offset)) {
    if (text::is_stop_word(language, word)) continue;
    append(stemmer.stem(language, word), offset, terms);
  }
}

ExtractedPage PageTextReader::read(const crawl::Page& page) {
  const text::HtmlText& html = text_.read(page);
  ExtractedPage out;
  out.text = html.text;
  out.title = page.title.empty() ? std::string_view(html.title) : page.title;
  out.charset = text_.charset();
  out.language =
      text::stemmer_tag(language_ ? *language_ : text::detect_language(html.language, html.text));
  out.media_type = page.media_type;
  if (out.media_type.empty()) {
    out.media_type = page.kind == crawl::PageKind::text ? "text/plain" : "text/html";
  }
  out.further_links = html.further_links;
  out.word_count = count_words(out.title);
  if (words_) {
    read_words(html.text, out.words);
    out.word_count += out.words.size();
  } else {
    out.word_count += count_words(html.text);
  }
  read_links(page, html, out);
  return out;
}

void PageTextReader::read_links(const crawl::Page& page, const text::HtmlText& html,
                                ExtractedPage& out) {
  const bool has_url = text::parse_url(page.url, nullptr, url_);
  const text::Url* const own = has_url ? &url_ : nullptr;
  const bool has_base = !html.base_href.empty() && text::parse_url(html.base_href, own, base_);
  const text::Url* const base = has_base ? &base_ : own;
  out.links.reserve(html.links.size());
  for (const text::HtmlLink& link : html.links) {
    PageLink one;
    one.href = html.href(link);
    if (text::parse_url(one.href, base, link_)) one.url = link_.href;
    one.text_begin = link.text_begin;
    one.text_end = link.text_end;
    out.links.push_back(std::move(one));
  }
}

}  // namespace kith::api
