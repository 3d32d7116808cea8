// What a WAT record (JSON metadata about a WARC record) says of the HTTP response behind it, with
// simdjson behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace kith::crawl {

// Envelope.Payload-Metadata.HTTP-Response-Metadata as the WAT writer of webarchive-commons (the
// Internet Archive's, and Common Crawl's) has it.
struct WatHead {
  const char* problem = "";       // not empty: no JSON object
  bool is_response = false;       // there is HTTP-Response-Metadata
  uint16_t status = 0;            // Response-Message.Status; 0 when it is missing
  bool has_html = false;          // there is HTML-Metadata: title and links
  std::string_view content_type;  // of Headers, like the next; valid until the next parse
  std::string_view location;
};

// Not thread-safe.
class WatHeadParser {
 public:
  WatHeadParser();
  ~WatHeadParser();

  // kJsonPadding (json_line.h) bytes behind `json` must be readable. More values than `max_values`
  // (max_json_values()) are a problem.
  WatHead parse(std::string_view json, uint64_t max_values);

 private:
  struct Simdjson;
  std::unique_ptr<Simdjson> simdjson_;
};

}  // namespace kith::crawl
