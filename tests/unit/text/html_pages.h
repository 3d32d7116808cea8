// Helpers of the HTML tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "text/html/html.h"

namespace kith::test {

inline text::HtmlText extract(std::string_view html) {
  text::HtmlText page;
  text::extract_html(html, page);
  return page;
}

// The text of a page without the blank at its end, which no rule speaks of.
inline std::string text_of(std::string_view html) {
  return std::string(trim(extract(html).text));
}

using Links = std::vector<std::pair<std::string, std::string>>;

// The href and the anchor text of every link.
inline Links links_of(std::string_view html) {
  const text::HtmlText page = extract(html);
  Links links;
  for (const text::HtmlLink& link : page.links) {
    const std::string_view anchor(page.text);
    links.emplace_back(page.href(link),
                       anchor.substr(link.text_begin, link.text_end - link.text_begin));
  }
  return links;
}

inline std::string repeat(std::string_view piece, size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += piece;
  return all;
}

// What markup is made of, whole and in parts, to draw hostile pages from.
inline const std::vector<std::string>& markup_pieces() {
  using namespace std::string_literals;
  static const std::vector<std::string> pieces = {"<",
                                                  "</",
                                                  "<!",
                                                  "<!--",
                                                  "-->",
                                                  "--!>",
                                                  "--",
                                                  "!",
                                                  ">",
                                                  "<!-->",
                                                  "<?",
                                                  "<![CDATA[",
                                                  "]]>",
                                                  " ",
                                                  "\n",
                                                  "\t",
                                                  "\r\n",
                                                  "/",
                                                  "=",
                                                  "\"",
                                                  "'",
                                                  "\0"s,
                                                  "\x01",
                                                  "word",
                                                  "x",
                                                  "\u00e9",
                                                  "\u65e5",
                                                  "<p>",
                                                  "</p>",
                                                  "<br/>",
                                                  "<b>",
                                                  "</b>",
                                                  "<i",
                                                  "<a href=",
                                                  "<a href=\"x&amp;y\">",
                                                  "</a>",
                                                  "<area href=u>",
                                                  "<img alt=\"al t\">",
                                                  "href=u",
                                                  "&amp;",
                                                  "&lt;",
                                                  "&notit;",
                                                  "&#65;",
                                                  "&#x42",
                                                  "&#",
                                                  "&",
                                                  "<script>",
                                                  "</script>",
                                                  "<script",
                                                  "<style>",
                                                  "</style>",
                                                  "<title>",
                                                  "</title>",
                                                  "<textarea>",
                                                  "</textarea>",
                                                  "<xmp>",
                                                  "</xmp>",
                                                  "<svg>",
                                                  "</svg>",
                                                  "<math>",
                                                  "<mi>",
                                                  "</mi>",
                                                  "<foreignObject>",
                                                  "<template>",
                                                  "</template>",
                                                  "<base href=b>",
                                                  "<html lang=en>",
                                                  "<plaintext>",
                                                  "&nGt;",
                                                  "<font color=red>",
                                                  "                    "};
  return pieces;
}

}  // namespace kith::test
