#include "crawl/read/wat_head.h"

#include <simdjson.h>

#include "base/bytes.h"
#include "base/json_walk.h"
#include "crawl/read/http.h"
#include "crawl/read/json_line.h"

namespace kith::crawl {
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
