#include "crawl/read/json_line.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

#include <simdjson.h>

#include "base/bytes.h"

namespace kith::crawl {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(kJsonPadding >= simdjson::SIMDJSON_PADDING);

// A parser holds some six bytes for each byte of the longest line it has seen; one that has
// grown over this for a single line is thrown away.
constexpr size_t kLargeParser = 4u << 20;
constexpr size_t kSmallestParser = 64u << 10;

// The string without its opening quote, by its position in the line.
Slice inside_quotes(std::string_view line, std::string_view token) {
  return {static_cast<size_t>(token.data() - line.data()) + 1, token.size() - 1};
}

// The position of the quote that ends a string whose text begins at `at`, or the end.
size_t end_of_string(std::string_view json, size_t at) {
  for (;; at += 2) {
    at = json.find_first_of("\"\\", at);
    if (at >= json.size()) return json.size();
    if (json[at] == '"') return at;
  }
}

bool is_json_separator(char c) {
  return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',';
}

bool is_json_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// A parser that is only there for its dispatch to the processor's instructions.
const ondemand::parser& unescaping_parser() {
  static const auto parser = [] {
    ondemand::parser made;
    if (made.allocate(kSmallestParser) != simdjson::SUCCESS) throw std::bad_alloc();
    return made;
  }();
  return parser;
}

simdjson::error_code read_flag(ondemand::field& field, bool& flag) {
  ondemand::json_type type;
  if (const auto error = field.value().type().get(type)) return error;
  if (type != ondemand::json_type::boolean) return simdjson::SUCCESS;
  return field.value().get_bool().get(flag);
}

size_t date_field_of(std::string_view key) {
  return static_cast<size_t>(std::ranges::find(kDateFields, key) - std::begin(kDateFields));
}

simdjson::error_code read_date(ondemand::field& field, size_t number, JsonLine& out) {
  ondemand::json_type type;
  if (const auto error = field.value().type().get(type)) return error;
  const bool is_text = type == ondemand::json_type::string;
  if (!is_text && type != ondemand::json_type::number) return simdjson::SUCCESS;
  const std::string_view token = trim(field.value().raw_json_token());
  out.date = is_text ? token.substr(1, token.size() - 2) : token;
  out.date_field = number;
  return simdjson::SUCCESS;
}

constexpr size_t escape_bytes = 6;  // \ud83d

// The UTF-16 unit that is escaped at the front of `text`; 0 where there is none.
char32_t escaped_unit(std::string_view text) {
  if (text.size() < escape_bytes || text[0] != '\\' || text[1] != 'u') return 0;
  uint32_t unit = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + escape_bytes, unit, 16);
  return error == std::errc() && end == text.data() + escape_bytes ? char32_t{unit} : 0;
}

}  // namespace

struct JsonLineParser::Simdjson {
  ondemand::parser parser;

  simdjson::error_code read(std::string_view line, JsonLine& out);
  simdjson::error_code read_field(std::string_view line, ondemand::field field, JsonLine& out);
};

simdjson::error_code JsonLineParser::Simdjson::read_field(std::string_view line,
                                                          ondemand::field field, JsonLine& out) {
  std::string_view key;
  if (const auto error = field.unescaped_key().get(key)) return error;
  const bool is_html = key == "html";
  const bool is_text = key == "text";
  const bool is_title = key == "title";
  const bool is_id = key == "id";
  const bool is_time = key == "time";
  const size_t date_field = date_field_of(key);
  if (date_field < out.date_field) return read_date(field, date_field, out);
  if (key == "deleted") return read_flag(field, out.is_deleted);
  if (!is_html && !is_text && !is_title && !is_id && !is_time && key != "url") {
    return simdjson::SUCCESS;
  }
  ondemand::json_type type;
  if (const auto error = field.value().type().get(type)) return error;
  // A time of another type is damage, which its reader finds.
  const bool is_raw =
      type == ondemand::json_type::number ||
      (is_time && type != ondemand::json_type::string && type != ondemand::json_type::null);
  if ((is_id || is_time) && is_raw) {
    (is_id ? out.id : out.time) = trim(field.value().raw_json_token());
    return simdjson::SUCCESS;
  }
  if (type != ondemand::json_type::string) return simdjson::SUCCESS;
  if (is_time) {
    const std::string_view quoted = trim(field.value().raw_json_token());
    out.time = quoted.substr(1, quoted.size() - 2);
  } else if (is_title) {
    out.title = inside_quotes(line, field.value().raw_json_token());
  } else if (is_html || is_text) {
    if (is_text && out.has_body && out.kind == PageKind::html) return simdjson::SUCCESS;
    out.body = inside_quotes(line, field.value().raw_json_token());
    out.kind = is_html ? PageKind::html : PageKind::text;
    out.has_body = true;
  } else if (const auto error = field.value().get_string().get(is_id ? out.id : out.url)) {
    return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code JsonLineParser::Simdjson::read(std::string_view line, JsonLine& out) {
  ondemand::document document;
  if (const auto error =
          parser.iterate(line.data(), line.size(), line.size() + kJsonPadding).get(document)) {
    return error;
  }
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  for (auto entry : object) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return error;
    if (const auto error = read_field(line, field, out)) return error;
  }
  // Behind the last token there is no location.
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
}

namespace {

// What is wrong with a line, for a person who may never have heard of the parser.
const char* problem_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::INCORRECT_TYPE:
      return "no JSON object";
    case simdjson::UTF8_ERROR:
      return "not valid UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string without an end";
    case simdjson::UNESCAPED_CHARS:
      return "a control character in a string";
    case simdjson::DEPTH_ERROR:
      return "nested too deeply";
    case simdjson::TRAILING_CONTENT:
      return "something comes after the JSON object";
    default:
      return "no valid JSON";
  }
}

}  // namespace

JsonLineParser::JsonLineParser() : simdjson_(std::make_unique<Simdjson>()) {}
JsonLineParser::~JsonLineParser() = default;

bool mend_surrogates(std::span<char> json) {
  const std::string_view text(json.data(), json.size());
  bool is_mended = false;
  size_t done = 0;  // escapes before it were looked at
  for (size_t at = text.find("\\u"); at != std::string_view::npos; at = text.find("\\u", at)) {
    size_t slashes = 0;
    while (at > done + slashes && text[at - slashes - 1] == '\\') ++slashes;
    const bool is_escape = slashes % 2 == 0;
    const char32_t unit = is_escape ? escaped_unit(text.substr(at)) : 0;
    const bool is_high = unit >= 0xd800 && unit < 0xdc00;
    if (is_high) {
      const char32_t low = escaped_unit(text.substr(at + escape_bytes));
      if (low >= 0xdc00 && low < 0xe000) {
        at += 2 * escape_bytes;
        done = at;
        continue;
      }
    }
    if (is_high || (unit >= 0xdc00 && unit < 0xe000)) {
      std::memcpy(json.data() + at, "\\ufffd", escape_bytes);
      is_mended = true;
    }
    at += 2;
    done = at;
  }
  return is_mended;
}

uint64_t count_json_values(std::string_view json) {
  constexpr size_t large = 1 << 20;
  if (json.size() < large) return 0;
  uint64_t count = 0;
  bool in_scalar = false;
  for (size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      at = end_of_string(json, at + 1);
      ++count;
      in_scalar = false;
    } else if (is_json_separator(c)) {
      ++count;
      in_scalar = false;
    } else if (is_json_blank(c)) {
      in_scalar = false;
    } else if (!std::exchange(in_scalar, true)) {
      ++count;
    }
  }
  return count;
}

JsonLine JsonLineParser::parse(std::string_view line, uint64_t max_values) {
  const size_t size = std::max(line.size(), kSmallestParser);
  JsonLine out;
  if (count_json_values(line) > max_values) {
    out.problem = "too many values for a page";
    return out;
  }
  if (simdjson_->parser.capacity() < size || simdjson_->parser.capacity() > kLargeParser) {
    if (simdjson_->parser.capacity() > kLargeParser) simdjson_->parser = ondemand::parser();
    if (simdjson_->parser.allocate(std::bit_ceil(size)) != simdjson::SUCCESS) {
      throw std::bad_alloc();
    }
  }
  const simdjson::error_code error = simdjson_->read(line, out);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) {
    out = JsonLine();
    out.problem = problem_of(error);
    out.is_not_utf8 = error == simdjson::UTF8_ERROR;
  }
  return out;
}

// simdjson writes up to a vector's width behind what it has read; so far behind its own place it
// overwrites nothing that it has not read.
std::optional<Slice> unescape_json_in_place(Arena& arena, Slice quoted) {
  const Slice place{quoted.offset - kJsonPadding, quoted.size + kJsonPadding};
  auto* end = reinterpret_cast<uint8_t*>(arena.bytes(place).data());
  const ondemand::raw_json_string raw(end + kJsonPadding);
  std::string_view text;
  if (unescaping_parser().unescape(raw, end).get(text) != simdjson::SUCCESS) return std::nullopt;
  return Slice{place.offset, text.size()};
}

}  // namespace kith::crawl
