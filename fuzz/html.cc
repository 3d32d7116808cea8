// Any bytes as an HTML page: to UTF-8, then to text, links and markup, whose invariants must hold.
// What is read near the end of the input, byte by byte, must agree with what is read in blocks.
#include "text/html/html.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/charset/charset.h"
#include "text/html/markup.h"

namespace {

using kith::text::HtmlLink;
using kith::text::HtmlText;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

void require_utf8(std::string_view text) {
  require(kith::text::weigh_utf8(text).errors == 0);
}

void check(const HtmlText& page) {
  require_utf8(page.text);
  require_utf8(page.hrefs);
  require_utf8(page.title);
  require_utf8(page.base_href);
  require_utf8(page.language);
  char last = ' ';
  for (const char c : page.text) {
    require(static_cast<uint8_t>(c) >= ' ' && !(c == ' ' && last == ' '));
    last = c;
  }
  uint32_t text_end = 0;
  uint32_t href_end = 0;
  for (const HtmlLink& link : page.links) {
    require(text_end <= link.text_begin && link.text_begin <= link.text_end);
    require(href_end == link.href_begin && link.href_begin <= link.href_end);
    text_end = link.text_end;
    href_end = link.href_end;
  }
  require(text_end <= page.text.size() && href_end == page.hrefs.size());
}

std::string_view without_end_blank(std::string_view text) {
  return text.ends_with(' ') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static HtmlText page;
  static HtmlText padded;
  static std::string buffer;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // A copy of its own size, so that the sanitizer sees a read behind it.
  std::string html(kith::text::to_utf8(bytes, {}, true, buffer).bytes);
  html += "<p>";
  html.shrink_to_fit();
  kith::text::extract_html(html, page);
  check(page);
  kith::text::extract_html(html + std::string(100, ' '), padded);
  require(without_end_blank(page.text) == without_end_blank(padded.text));
  require(page.hrefs == padded.hrefs && page.links.size() == padded.links.size());
  static kith::text::Markup markup;
  static kith::text::Markup padded_markup;
  kith::text::read_markup(html, markup);
  kith::text::read_markup(html + std::string(100, ' '), padded_markup);
  require(markup.media_hash == padded_markup.media_hash && markup.forms == padded_markup.forms);
  return 0;
}
