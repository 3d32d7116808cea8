// One line of JSONL taken apart, with simdjson behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "crawl/arena.h"
#include "crawl/page.h"

namespace kith::crawl {

// Bytes that must be readable behind a line or a JSON string.
inline constexpr size_t kJsonPadding = 64;

// JSON longer than this is taken for damage: escapes make it longer than the page it holds.
inline uint64_t longest_json(uint64_t max_page) {
  return 2 * max_page + (1u << 20);
}

struct JsonLine {
  const char* problem = "";  // not empty: the line is no JSON object
  bool is_not_utf8 = false;  // that is the problem
  std::string_view url;      // unescaped; empty when there is none; valid until the next parse
  std::string_view id;       // likewise; of a number its digits
  bool has_body = false;
  PageKind kind = PageKind::html;
  // The JSON strings without their opening quotes, with their closing ones and perhaps blanks
  // behind; positions in the line.
  Slice body;
  Slice title;
};

// Finds the fields of a line. Not thread-safe.
class JsonLineParser {
 public:
  JsonLineParser();
  ~JsonLineParser();

  // "url", "html" (or else "text") and "title", each a string, and "id", a string or a number;
  // values of other types count as absent. kJsonPadding bytes behind `line` must be readable.
  JsonLine parse(std::string_view line);

 private:
  struct Simdjson;
  std::unique_ptr<Simdjson> simdjson_;
};

// Unescapes a string that JsonLine names (kJsonPadding readable bytes behind it) into `out`;
// nothing when it holds a wrong escape. Thread-safe.
std::optional<Slice> unescape_json(std::string_view quoted, Arena& out);

}  // namespace kith::crawl
