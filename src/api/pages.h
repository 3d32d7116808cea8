// A page of the crawl as a value: its text, words and links.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kith/extract.h"
#include "kith/status.h"

#include "crawl/read/page.h"
#include "run/pages.h"
#include "text/url/url.h"
#include "text/words/language.h"

namespace kith::api {

// An error of kind usage unless kith knows the language or it is empty.
Status check_language(std::string_view language);

// Replaces `words` by those of a text.
void read_words(std::string_view text, Words& words);
void read_terms(std::string_view text, text::Language language, Words& terms);

// One worker's; its buffers are reused. Not thread-safe.
class PageTextReader {
 public:
  // The language of the options is known.
  explicit PageTextReader(const ExtractOptions& options)
      : words_(options.words), language_(text::language_of_tag(options.language)) {}

  // page: no redirect.
  ExtractedPage read(const crawl::Page& page);

 private:
  void read_links(const crawl::Page& page, const text::HtmlText& html, ExtractedPage& out);

  const bool words_;
  const std::optional<text::Language> language_;
  run::PageText text_;
  text::Url url_;
  text::Url base_;
  text::Url link_;
};

}  // namespace kith::api
