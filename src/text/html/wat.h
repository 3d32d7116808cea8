// The title and the links of a page out of its WAT record: JSON that the WAT writer of
// webarchive-commons (the Internet Archive's, and Common Crawl's) has made of its HTML. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/html/html.h"

namespace kith::text {

// Reads Envelope.Payload-Metadata.HTTP-Response-Metadata.HTML-Metadata:
//
//   Head.Title, Head.Base   title and base_href
//   Head.Metas              language, of the entry that is named HTML@/lang; refresh
//   Head.Link               canonical
//   Links                   the entries whose path is A@/href or AREA@/href: url, and as anchor
//                           text the first of text, title, alt that is there
//
// One instance per worker; not thread-safe.
class WatReader {
 public:
  WatReader();
  ~WatReader();

  // Replaces the content of `out`. A WAT record holds no text but the anchor texts (the first 128
  // characters of each): they become the text, a line each, and links_stand_alone is set. Fields
  // that are missing, of another type or wrongly escaped stay empty; behind JSON that is none,
  // nothing is read. json: at most max_html_bytes.
  void read(std::string_view json, HtmlText& out);

 private:
  struct Simdjson;
  std::unique_ptr<Simdjson> simdjson_;
};

}  // namespace kith::text
