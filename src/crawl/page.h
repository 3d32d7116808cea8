// What the crawl stage hands on: pages, in the order of the input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kith::crawl {

enum class PageKind : uint8_t {
  html,  // markup: text/html, application/xhtml+xml
  text,  // plain text without links: text/plain, a JSONL record with "text"
};

// One page. All views point into the PageBatch that holds it.
struct Page {
  std::string_view url;  // as the Admit callback left it (canonical), not the record's spelling
  PageKind kind = PageKind::html;
  std::string_view charset;  // from the HTTP header; empty when it names none ("utf-8" for JSONL)
  std::string_view title;    // only where the container gives one (JSONL "title"); else empty
  std::string_view body;     // the payload, transfer and content encodings undone, cut at max_page
};

// Some consecutive pages of the input, about a megabyte of them, and the bytes they view.
// Reuse one batch per worker: its buffers keep their capacity.
struct PageBatch {
  uint64_t sequence = 0;  // 0, 1, 2, ... in input order
  std::vector<Page> pages;
  std::string raw;      // record bytes as read
  std::string decoded;  // payloads that had to be decoded; reserved before views are taken
};

}  // namespace kith::crawl
