#include "crawl/read/json_line.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <deque>
#include <new>
#include <utility>

#include <simdjson.h>

#include "base/bytes.h"
#include "base/json_walk.h"

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

constexpr size_t escape_bytes = 6;  // \ud83d

// The UTF-16 unit that is escaped at the front of `text`; 0 where there is none.
char32_t escaped_unit(std::string_view text) {
  if (text.size() < escape_bytes || text[0] != '\\' || text[1] != 'u') return 0;
  uint32_t unit = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + escape_bytes, unit, 16);
  return error == std::errc() && end == text.data() + escape_bytes ? char32_t{unit} : 0;
}

// What parse() hands through nested objects.
struct LineWalk {
  std::string_view line;
  const RowFields& fields;
  JsonLine& out;
  std::deque<std::string>& unescaped;  // values of extras that have escapes
};

bool is_scalar(ondemand::json_type type) {
  return type == ondemand::json_type::number || type == ondemand::json_type::string;
}

// A time, where none of a lower number was read.
simdjson::error_code read_time(ondemand::value value, ondemand::json_type type, uint8_t number,
                               JsonLine& out) {
  if (type == ondemand::json_type::null || number > out.time_field) return simdjson::SUCCESS;
  // One of another type may be damage, which the reader of the line decides, if there is no other.
  const bool can_be = is_scalar(type);
  if (!can_be && !out.time.empty()) return simdjson::SUCCESS;
  out.time = trim(value.raw_json_token());
  if (type == ondemand::json_type::string) out.time = out.time.substr(1, out.time.size() - 2);
  if (can_be) out.time_field = number;
  return simdjson::SUCCESS;
}

// A URL or an id, where none of a lower number was read.
simdjson::error_code read_name(ondemand::value value, ondemand::json_type type, uint8_t number,
                               uint8_t& field, std::string_view& name) {
  if (number > field) return simdjson::SUCCESS;
  std::string_view read;
  if (type == ondemand::json_type::number) {
    read = trim(value.raw_json_token());
  } else if (const auto error = value.get_string().get(read)) {
    return error;
  }
  // An empty one names nothing.
  if (read.empty() && field != number) return simdjson::SUCCESS;
  field = read.empty() ? RowFields::none : number;
  name = read;
  return simdjson::SUCCESS;
}

simdjson::error_code read_part(const LineWalk& walk, uint8_t number, ondemand::value value,
                               ondemand::json_type type) {
  JsonLine& out = walk.out;
  const RowPart part = walk.fields.all()[number].part;
  if (part == RowPart::time) return read_time(value, type, number, out);
  if (part == RowPart::id && is_scalar(type)) {
    return read_name(value, type, number, out.id_field, out.id);
  }
  if (type != ondemand::json_type::string) return simdjson::SUCCESS;
  if (part == RowPart::url) return read_name(value, type, number, out.url_field, out.url);
  if (part == RowPart::title) {
    out.title = inside_quotes(walk.line, value.raw_json_token());
    out.title_field = number;
  } else if ((part == RowPart::text || part == RowPart::html) && number <= out.body_field) {
    out.body = inside_quotes(walk.line, value.raw_json_token());
    out.body_field = number;
  }
  return simdjson::SUCCESS;
}

// The value of an extra; of the same field there may be more to read.
void read_extra(const LineWalk& walk, size_t extra, ondemand::value value,
                ondemand::json_type type) {
  std::string_view& out = walk.out.extras[extra];
  out = {};
  if (type == ondemand::json_type::null) return;
  out = trim(value.raw_json_token());
  if (type != ondemand::json_type::string) return;
  out = out.substr(1, out.size() - 2);
  if (out.find('\\') == std::string_view::npos) return;
  std::string& own = walk.unescaped.emplace_back(out.size() + kJsonPadding, '\0');
  auto* end = reinterpret_cast<uint8_t*>(own.data());
  const ondemand::raw_json_string raw(reinterpret_cast<const uint8_t*>(out.data()));
  std::string_view text;
  if (unescaping_parser().unescape(raw, end).get(text) == simdjson::SUCCESS) out = text;
}

// prefix: the path of the object, with a dot behind it.
simdjson::error_code read_object(const LineWalk& walk, const std::string& prefix,
                                 ondemand::object object) {
  for (auto entry : object) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return error;
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) return error;
    if (prefix.empty() && name == "deleted") {
      if (const auto error = read_flag(field, walk.out.is_deleted)) return error;
      continue;
    }
    std::string path;
    if (!prefix.empty()) name = path = prefix + std::string(name);
    const uint8_t number = walk.fields.find(name);
    const bool is_path = walk.fields.is_in_path(name);
    const size_t extra = walk.fields.find_extra(name);
    if (number == RowFields::none && !is_path && extra == RowFields::max_extras) continue;
    ondemand::value value = field.value();
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return error;
    if (extra != RowFields::max_extras) read_extra(walk, extra, value, type);
    if (is_path && type == ondemand::json_type::object) {
      path = std::string(name) + ".";
      ondemand::object inner;
      if (const auto error = value.get_object().get(inner)) return error;
      if (const auto error = read_object(walk, path, inner)) return error;
    } else if (number != RowFields::none) {
      if (const auto error = read_part(walk, number, value, type)) return error;
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct JsonLineParser::Simdjson {
  ondemand::parser parser;
  std::deque<std::string> unescaped;  // of the last line

  simdjson::error_code read(std::string_view line, const RowFields& fields, JsonLine& out);
};

simdjson::error_code JsonLineParser::Simdjson::read(std::string_view line, const RowFields& fields,
                                                    JsonLine& out) {
  unescaped.clear();
  ondemand::document document;
  if (const auto error =
          parser.iterate(line.data(), line.size(), line.size() + kJsonPadding).get(document)) {
    return error;
  }
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return error;
  if (const auto error = read_object({line, fields, out, unescaped}, "", object)) return error;
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

JsonLineParser::JsonLineParser(RowFields fields)
    : fields_(std::move(fields)), simdjson_(std::make_unique<Simdjson>()) {}
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
  const simdjson::error_code error = simdjson_->read(line, fields_, out);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  if (error != simdjson::SUCCESS) {
    out = JsonLine();
    out.problem = problem_of(error);
    out.is_not_utf8 = error == simdjson::UTF8_ERROR;
  }
  return out;
}

namespace {

simdjson::error_code add_names(ondemand::object object, const std::string& prefix, size_t most,
                               std::vector<std::string>& names) {
  return each_field(object, [&](std::string_view name, ondemand::value value) {
    ondemand::json_type type;
    if (const auto error = value.type().get(type)) return error;
    const std::string path = prefix + std::string(name);
    if (type == ondemand::json_type::object) {
      ondemand::object inner;
      if (const auto error = value.get_object().get(inner)) return error;
      return add_names(inner, path + ".", most, names);
    }
    if (names.size() < most) names.push_back(path);
    return simdjson::SUCCESS;
  });
}

}  // namespace

std::vector<std::string> JsonLineParser::names(std::string_view line, size_t most) {
  std::vector<std::string> names;
  ondemand::document document;
  ondemand::object object;
  const size_t room = line.size() + kJsonPadding;
  // The line was read before, so there is no error.
  if (simdjson_->parser.iterate(line.data(), line.size(), room).get(document) ==
          simdjson::SUCCESS &&
      document.get_object().get(object) == simdjson::SUCCESS) {
    static_cast<void>(add_names(object, "", most, names));
  }
  return names;
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
