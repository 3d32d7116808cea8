#include "crawl/read/http.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/bytes.h"
#include "base/json_walk.h"
#include "crawl/read/json_line.h"

namespace kith::crawl {
namespace {

// Sets the codes that an item names; false when it names none.
bool add_item(std::string_view item, std::bitset<1000>& codes) {
  if (equals_ignoring_case(item, "any")) {
    codes.set();
    return true;
  }
  if (item.size() != 3 || item[0] < '1' || item[0] > '9') return false;
  const auto hundreds = static_cast<size_t>(item[0] - '0') * 100;
  if (equals_ignoring_case(item.substr(1), "xx")) {
    for (size_t code = hundreds; code < hundreds + 100; ++code) codes.set(code);
    return true;
  }
  if (!is_ascii_digit(item[1]) || !is_ascii_digit(item[2])) return false;
  codes.set(hundreds + static_cast<size_t>(item[1] - '0') * 10 +
            static_cast<size_t>(item[2] - '0'));
  return true;
}

}  // namespace

Result<StatusSet> StatusSet::parse(std::string_view list) {
  StatusSet set;
  set.codes_.reset();
  for (std::string_view rest = list;;) {
    const size_t comma = rest.find(',');
    const std::string_view item = trim(rest.substr(0, comma));
    if (!add_item(item, set.codes_)) {
      return Error{ErrorKind::usage,
                   fmt::format("status = {}: '{}' is no HTTP status; write a list such as 200,203 "
                               "or 2xx, or any",
                               list, item)};
    }
    if (comma == std::string_view::npos) return set;
    rest.remove_prefix(comma + 1);
  }
}

namespace {

// The position behind the next line break; npos when there is none.
size_t next_line(std::string_view bytes, size_t from) {
  const size_t at = bytes.find('\n', from);
  return at == std::string_view::npos ? at : at + 1;
}

bool is_folded(std::string_view rest) {
  return !rest.empty() && (rest.front() == ' ' || rest.front() == '\t');
}

// The value of a parameter, without its quotes.
std::string_view unquote(std::string_view value) {
  value = trim(value);
  if (value.empty() || (value.front() != '"' && value.front() != '\'')) return value;
  const char quote = value.front();
  value.remove_prefix(1);
  return trim(value.substr(0, value.find(quote)));
}

bool names_chunked(std::string_view value) {
  while (!value.empty()) {
    const size_t comma = value.find(',');
    if (equals_ignoring_case(trim(value.substr(0, comma)), "chunked")) return true;
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
  return false;
}

// "HTTP/1.1 200 OK", "HTTP/2 200", "ICY 200 OK"; 0 when it is something else.
unsigned parse_status(std::string_view line) {
  if (!starts_with_ignoring_case(line, "HTTP/") && !starts_with_ignoring_case(line, "ICY ")) {
    return 0;
  }
  const size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return 0;
  line = trim(line.substr(blank));
  const std::optional<uint64_t> status = parse_decimal(line.substr(0, 3));
  const bool ends = line.size() <= 3 || is_ascii_blank(line[3]);
  return line.size() >= 3 && ends && status ? static_cast<unsigned>(*status) : 0;
}

// "Content-Type: text/html": a name of letters, digits and dashes, and a colon.
bool is_field(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  return std::ranges::all_of(line.substr(0, colon), [](char c) {
    return is_ascii_alpha(c) || is_ascii_digit(c) || c == '-' || c == '_';
  });
}

}  // namespace

size_t empty_line_length(std::string_view bytes) {
  constexpr size_t kMostReturns = 2;
  size_t at = 0;
  while (at < std::min(bytes.size(), kMostReturns) && bytes[at] == '\r') ++at;
  return at < bytes.size() && bytes[at] == '\n' ? at + 1 : 0;
}

size_t header_length(std::string_view bytes) {
  for (size_t at = next_line(bytes, 0); at != std::string_view::npos; at = next_line(bytes, at)) {
    const size_t end = empty_line_length(bytes.substr(at));
    if (end > 0) return at + end;
  }
  return std::string_view::npos;
}

std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  for (int returns = 0; returns < 2 && line.ends_with('\r'); ++returns) line.remove_suffix(1);
  return line;
}

std::optional<HeaderField> HeaderFields::next() {
  while (!rest_.empty()) {
    const char* const start = rest_.data();
    std::string_view line = take_line(rest_);
    while (is_folded(rest_)) {  // obs-fold: the value goes on in the next line
      const std::string_view more = take_line(rest_);
      line = {start, static_cast<size_t>(more.data() + more.size() - start)};
    }
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      return HeaderField{trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> parse_decimal(std::string_view digits) {
  if (digits.empty() || digits.size() > 18) return std::nullopt;
  uint64_t value = 0;
  for (const char c : digits) {
    if (!is_ascii_digit(c)) return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

MediaType parse_media_type(std::string_view value) {
  MediaType type;
  size_t semicolon = value.find(';');
  // A comma joins two headers of that name into one; the first type counts.
  type.essence = unquote(value.substr(0, value.find_first_of(";,")));
  while (semicolon != std::string_view::npos && type.charset.empty()) {
    value.remove_prefix(semicolon + 1);
    semicolon = value.find(';');
    const std::string_view parameter = value.substr(0, semicolon);
    const size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) continue;
    if (equals_ignoring_case(trim(parameter.substr(0, equals)), "charset")) {
      type.charset = unquote(parameter.substr(equals + 1));
    }
  }
  return type;
}

bool says_nothing(std::string_view essence) {
  const size_t slash = essence.find('/');
  return slash == std::string_view::npos || slash == 0 || slash + 1 == essence.size() ||
         essence.find('*') != std::string_view::npos ||
         starts_with_ignoring_case(essence, "unknown/") ||
         equals_ignoring_case(essence, "application/unknown") ||
         equals_ignoring_case(essence, "application/x-unknown-content-type");
}

std::optional<HttpHead> parse_http_head(std::string_view head) {
  HttpHead result;
  std::string_view rest = head;
  result.status = parse_status(take_line(rest));
  if (result.status == 0) {
    if (!is_field(head.substr(0, head.find('\n')))) return std::nullopt;
    rest = head;
  }
  HeaderFields fields(rest);
  while (const std::optional<HeaderField> field = fields.next()) {
    if (equals_ignoring_case(field->name, "content-type")) {
      if (!field->value.empty()) result.content_type = field->value;
    } else if (equals_ignoring_case(field->name, "content-encoding")) {
      result.content_encoding = field->value;
    } else if (equals_ignoring_case(field->name, "location")) {
      result.location = field->value;
    } else if (equals_ignoring_case(field->name, "transfer-encoding")) {
      result.chunked = names_chunked(field->value);
    }
  }
  return result;
}

namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

error_code read_message(ondemand::value message, WatHead& head) {
  return each_field(message, [&](std::string_view key, ondemand::value value) {
    if (key != "Status") return SUCCESS;
    std::string_view status;
    if (const auto error = read_string(value, status)) return error;
    const auto code = parse_decimal(trim(status));
    if (code && *code < 1000) head.status = static_cast<uint16_t>(*code);
    return SUCCESS;
  });
}

error_code read_headers(ondemand::value headers, WatHead& head) {
  return each_field(headers, [&](std::string_view key, ondemand::value value) {
    if (equals_ignoring_case(key, "Content-Type")) return read_string(value, head.content_type);
    if (equals_ignoring_case(key, "Location")) return read_string(value, head.location);
    return SUCCESS;
  });
}

error_code read_response(ondemand::value response, WatHead& head) {
  head.is_response = true;
  return each_field(response, [&](std::string_view key, ondemand::value value) {
    if (key == "Response-Message") return read_message(value, head);
    if (key == "Headers") return read_headers(value, head);
    if (key == "HTML-Metadata") head.has_html = true;
    return SUCCESS;
  });
}

error_code read_envelope(ondemand::value envelope, WatHead& head) {
  return each_field(envelope, [&](std::string_view key, ondemand::value payload) {
    if (key != "Payload-Metadata") return SUCCESS;
    return each_field(payload, [&](std::string_view name, ondemand::value value) {
      return name == "HTTP-Response-Metadata" ? read_response(value, head) : SUCCESS;
    });
  });
}

}  // namespace

struct WatHeadParser::Simdjson {
  ondemand::parser parser;

  error_code read(std::string_view json, WatHead& head) {
    ondemand::document document;
    if (const auto error =
            parser.iterate(json.data(), json.size(), json.size() + kJsonPadding).get(document)) {
      return error;
    }
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return error;
    return each_field(object, [&](std::string_view key, ondemand::value value) {
      return key == "Envelope" ? read_envelope(value, head) : SUCCESS;
    });
  }
};

WatHeadParser::WatHeadParser() = default;
WatHeadParser::~WatHeadParser() = default;

WatHead WatHeadParser::parse(std::string_view json, uint64_t max_values) {
  // One that has grown for a single record is thrown away.
  constexpr size_t kLargeParser = 4u << 20;
  if (!simdjson_ || simdjson_->parser.capacity() > kLargeParser) {
    simdjson_ = std::make_unique<Simdjson>();
  }
  WatHead head;
  if (count_json_values(json) > max_values) {
    head.problem = "too many values for a page";
    return head;
  }
  if (const error_code error = simdjson_->read(json, head); error != SUCCESS) {
    head = WatHead();
    head.problem = simdjson::error_message(error);
  }
  return head;
}

}  // namespace kith::crawl
