#include "crawl/wat_head.h"

#include <simdjson.h>

#include "base/ascii.h"
#include "crawl/http.h"
#include "crawl/json_line.h"

namespace kith::crawl {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

// Calls take(key, value) for every field of an object; a value of another type has none.
template <class Take>
error_code each_field(ondemand::value value, Take take) {
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  if (type != ondemand::json_type::object) return SUCCESS;
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  for (auto entry : object) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return error;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (const auto error = take(key, field.value())) return error;
  }
  return SUCCESS;
}

// A string's text; other types and wrong escapes (half a surrogate pair) leave `out` as it is.
error_code read_string(ondemand::value value, std::string_view& out) {
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  if (type != ondemand::json_type::string) return SUCCESS;
  const error_code error = value.get_string().get(out);
  return error == simdjson::STRING_ERROR ? SUCCESS : error;
}

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
    for (auto entry : object) {
      ondemand::field field;
      if (const auto error = std::move(entry).get(field)) return error;
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return error;
      if (key != "Envelope") continue;
      if (const auto error = read_envelope(field.value(), head)) return error;
    }
    return SUCCESS;
  }
};

WatHeadParser::WatHeadParser() = default;
WatHeadParser::~WatHeadParser() = default;

WatHead WatHeadParser::parse(std::string_view json) {
  // One that has grown for a single record is thrown away.
  constexpr size_t kLargeParser = 4u << 20;
  if (!simdjson_ || simdjson_->parser.capacity() > kLargeParser) {
    simdjson_ = std::make_unique<Simdjson>();
  }
  WatHead head;
  if (const error_code error = simdjson_->read(json, head); error != SUCCESS) {
    head = WatHead();
    head.problem = simdjson::error_message(error);
  }
  return head;
}

}  // namespace kith::crawl
