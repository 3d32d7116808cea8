// HTTP messages in records, which statuses make a response a page, and what a WAT record says of
// the response that it is about.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "kith/status.h"

namespace kith::crawl {

// Which HTTP statuses make a response a page.

// A set of HTTP status codes. Holds 200 alone when default-constructed.
class StatusSet {
 public:
  StatusSet() { codes_.set(200); }

  // "200", "200,203", "2xx", "200,4xx" or "any"; blanks around items do no harm. An error of
  // kind usage when an item is none of these.
  static Result<StatusSet> parse(std::string_view list);

  bool contains(unsigned status) const { return status < codes_.size() && codes_[status]; }

 private:
  std::bitset<1000> codes_;
};

// Header blocks as WARC, HTTP and MIME share them, and what kith wants from an HTTP response.
// Pure functions over bytes in memory: no allocation, no files.

// The length of a header block with the empty line that ends it; npos when the end is not among
// these bytes. Lines end in LF, CRLF or, as some writers have it, CR CR LF.
size_t header_length(std::string_view bytes);

// The length of an empty line at the front of `bytes`, its line end included; 0 when there is none.
size_t empty_line_length(std::string_view bytes);

struct HeaderField {
  std::string_view name;
  std::string_view value;  // trimmed; a folded value keeps its line breaks inside
};

// Walks over the fields of a header block behind its first line. Lines without a colon are
// passed over.
class HeaderFields {
 public:
  // rest: the block without its first line.
  explicit HeaderFields(std::string_view rest) : rest_(rest) {}

  // The next field, or nothing at the end.
  std::optional<HeaderField> next();

 private:
  std::string_view rest_;
};

// The first line without its line break; removes it from `rest`.
std::string_view take_line(std::string_view& rest);

// A decimal number that fits 63 bits and is nothing but digits.
std::optional<uint64_t> parse_decimal(std::string_view digits);

// A Content-Type value taken apart (RFC 9110, 8.3): "text/html; charset=utf-8".
struct MediaType {
  std::string_view essence;  // "text/html" as spelled; empty when there is none
  std::string_view charset;  // without quotes; empty when there is none
};
MediaType parse_media_type(std::string_view value);

struct HttpHead {
  unsigned status = 0;                // 200; three digits; 0 when the status line is missing
  std::string_view content_type;      // the last header of its name, like those below
  std::string_view content_encoding;  // "gzip", "gzip, br"
  std::string_view location;          // "https://example.org/", perhaps relative
  bool chunked = false;               // Transfer-Encoding names chunked
};

// Reads a response head ("HTTP/1.1 200 OK" and its fields), of which some archives have lost the
// first line; nothing when that is neither a status line nor a field. The views point into `head`.
// Whether a media type is so odd that a browser looks at the bytes instead: none, "html", "*/*",
// "unknown/unknown".
bool says_nothing(std::string_view essence);

std::optional<HttpHead> parse_http_head(std::string_view head);

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
