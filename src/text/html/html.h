// HTML to text, links and title in one pass over the bytes, after the tokenizer states of the
// WHATWG HTML standard (section 13.2.5). No tree is built, so time is linear on any input.
// Pure: no files, no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kith::text {

// An <a href> or <area href>. Offsets are bytes into HtmlText::text and HtmlText::hrefs.
struct HtmlLink {
  uint32_t text_begin = 0;  // the anchor text is text[text_begin, text_end)
  uint32_t text_end = 0;
  uint32_t href_begin = 0;  // the attribute value, entities decoded, not resolved
  uint32_t href_end = 0;
};

// A part of HtmlText::text, in bytes.
struct TextPart {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Of a page: more than a page for people has, so that its memory is bounded by its size.
inline constexpr size_t max_links = size_t{1} << 18;
inline constexpr size_t max_blocks = size_t{1} << 16;
inline constexpr size_t max_headings = 3;

struct HtmlText {
  std::string text;  // UTF-8; runs of blanks are one; block elements leave one, inline ones none
  std::vector<HtmlLink> links;  // in order of text_begin, the first max_links
  uint64_t further_links = 0;   // beyond these
  std::string hrefs;
  // Where in the text a block element begins or ends (of plain text: a line), rising, the first
  // max_blocks; what lies between two of them is a block.
  std::vector<uint32_t> block_bounds;
  // The texts of the first <h1> and <h2>.
  std::vector<TextPart> headings;
  std::string title;      // of the first <title>, blanks collapsed; not part of text
  std::string base_href;  // of the first <base href>; empty when there is none
  std::string language;   // the lang attribute of <html>; empty when there is none
  std::string canonical;  // the href of the first <link rel=canonical>; empty when there is none
  std::string refresh;    // the URL of the first <meta http-equiv=refresh>; see html/target.h
  // Set when the text holds nothing but anchor texts (WAT): words around one belong to others.
  bool links_stand_alone = false;

  std::string_view href(const HtmlLink& link) const {
    return std::string_view(hrefs).substr(link.href_begin, link.href_end - link.href_begin);
  }
  std::string_view text_of(TextPart part) const {
    return std::string_view(text).substr(part.begin, part.end - part.begin);
  }
  void clear();
};

// A longer page is cut there: its text, at worst three times as long, has 32-bit offsets.
inline constexpr size_t max_html_bytes = size_t{1} << 30;

// Reads `html`, which must be valid UTF-8 (see charset.h; other bytes do no harm but to the
// text) and at most max_html_bytes long. Replaces the content of `out`, keeping its capacity:
// reuse one per worker. What is text and what is not stands in docs/algorithms/html.md.
void extract_html(std::string_view html, HtmlText& out);

}  // namespace kith::text
