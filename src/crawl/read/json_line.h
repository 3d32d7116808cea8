// One line of JSONL taken apart, with simdjson behind it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crawl/read/page.h"
#include "crawl/read/row_fields.h"

namespace kith::crawl {

// Bytes that must be readable behind a line or a JSON string, and writable before a string that is
// unescaped in place.
inline constexpr size_t kJsonPadding = 64;

// Of a title its beginning counts: 64 KiB, in which a title of a page has room many times over.
inline constexpr size_t kLongestTitle = 64u << 10;

// A line longer than this is taken for damage: escapes make it longer than the page it holds.
inline uint64_t longest_line(uint64_t max_page) {
  return 2 * max_page + (1u << 20);
}

// JSON with more values than this is taken for damage: a parser holds 4 bytes for each.
inline uint64_t max_json_values(uint64_t max_page) {
  return std::max<uint64_t>(1u << 18, max_page / 4);
}

// Writes \ufffd in place of every escape of half a surrogate pair; whether there was one. Such
// lines come from programs that keep bytes which are no UTF-8 as surrogates.
bool mend_surrogates(std::span<char> json);

// How many numbers, strings, names of fields, brackets and separators the JSON has; of JSON under
// 1 MiB, which cannot have too many, 0.
uint64_t count_json_values(std::string_view json);

struct JsonLine {
  const char* problem = "";  // not empty: the line is no JSON object
  bool is_not_utf8 = false;  // that is the problem
  std::string_view url;      // unescaped; empty when there is none; valid until the next parse
  std::string_view id;       // likewise; of a number its digits
  std::string_view time;     // as it stands, without quotes; empty when there is none
  bool is_deleted = false;   // "deleted" is true
  // Of RowFields, which ones these are.
  uint8_t body_field = RowFields::none;
  uint8_t url_field = RowFields::none;
  uint8_t id_field = RowFields::none;
  uint8_t title_field = RowFields::none;
  uint8_t time_field = RowFields::none;
  // The JSON strings without their opening quotes, with their closing ones and perhaps blanks
  // behind; positions in the line.
  Slice body;
  Slice title;
  // Of RowFields::extras: unescaped strings, and what else there is as it stands.
  ExtraValues extras{};
};

// Finds the fields of a line. Not thread-safe.
class JsonLineParser {
 public:
  explicit JsonLineParser(RowFields fields = RowFields());
  ~JsonLineParser();

  // URL, text or markup, and title are strings, id and time a string or a number, and "deleted" is
  // true or false; values of other types count as absent. kJsonPadding bytes behind `line` must be
  // readable.
  JsonLine parse(std::string_view line, uint64_t max_values);

  // The names of the fields of a line that parse() has read, those of objects in it with their
  // paths, at most so many.
  std::vector<std::string> names(std::string_view line, size_t most);

 private:
  struct Simdjson;
  const RowFields fields_;
  std::unique_ptr<Simdjson> simdjson_;
};

// Unescapes a string that JsonLine names to kJsonPadding bytes before where it stands; nothing when
// it holds a wrong escape. A line's strings must be unescaped in their order: what lies less than
// kJsonPadding bytes before one is overwritten. Thread-safe.
std::optional<Slice> unescape_json_in_place(Arena& arena, Slice quoted);

}  // namespace kith::crawl
