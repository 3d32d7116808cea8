// The text of a page, as `kith crawl` and `kith cluster` read it (docs/algorithms/html.md,
// words.md).
//
//   const auto page = kith::extract({.bytes = body, .url = "https://example.org/",
//                                    .content_type = "text/html; charset=utf-8"});
//   if (page) ... page->title, page->text, page->links ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// A page as it came; the views must stay during the call.
struct PageBytes {
  std::string_view bytes = {};  // content codings undone; at most 1 GiB
  std::string_view url = {};    // absolute; what links are relative to; may be empty
  // The header of HTTP, "text/html; charset=utf-8". HTML, XHTML and plain text are read. Empty:
  // HTML if the bytes begin with a tag, else plain text.
  std::string_view content_type = {};
};

struct ExtractOptions {
  std::string language = {};  // of every page, as a tag or an English name; empty: detected
  bool words = true;          // whether ExtractedPage::words is filled
};

// The words of a text, in their order.
struct Words {
  std::string bytes;                    // one word behind the other
  std::vector<uint64_t> offsets = {0};  // word i is bytes[offsets[i], offsets[i + 1])
  std::vector<uint32_t> places;         // where word i begins in the text, in bytes

  size_t size() const { return places.size(); }
  // REQUIRES: i < size(). A view of `bytes`.
  std::string_view operator[](size_t i) const {
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// An <a href> or <area href>.
struct PageLink {
  std::string href;         // as written, character references decoded
  std::string url;          // absolute and canonical; empty where it is no http(s) URL
  uint64_t text_begin = 0;  // the anchor text is text[text_begin, text_end) of the page
  uint64_t text_end = 0;
};

struct ExtractedPage {
  std::string text;             // UTF-8; blanks are one, block elements leave one
  std::string title;            // not part of the text
  std::string language;         // a tag, "en"; "other" when kith has no stemmer for it
  std::string charset;          // that it was decoded from, by its WHATWG name: "windows-1252"
  std::string media_type;       // "text/html" as the header spells it, or what it was taken for
  std::vector<PageLink> links;  // in the order of the page
  uint64_t further_links = 0;   // beyond the first 262,144
  Words words;                  // of the text, in lower case, stop words included
  uint64_t word_count = 0;      // of title and text
};

// Errors of kind usage: another media type, a language that kith does not know, more than 1 GiB.
// Any bytes are read in linear time; what is invalid in them becomes U+FFFD. Thread-safe.
Result<ExtractedPage> extract(const PageBytes& page, const ExtractOptions& options = {});

// The same of many pages, each with its own outcome. threads: 0 is one per processor; the result
// does not depend on it. An error of all: the language, or no memory.
Result<std::vector<Result<ExtractedPage>>> extract(std::span<const PageBytes> pages,
                                                   const ExtractOptions& options = {},
                                                   unsigned threads = 0);

// The words of a text of less than 4 GiB: runs of letters, in lower case, as Words of a page.
Result<Words> split_words(std::string_view text);

// Likewise what bags are made of: stop words left out, the others reduced to their stems. language:
// as ExtractedPage::language, or the tag of another that has stop words, as "pl"; with "other" and
// without one words stay as they are. An error of kind usage: a language that kith does not know.
Result<Words> split_terms(std::string_view text, std::string_view language);

}  // namespace kith

#pragma GCC visibility pop
