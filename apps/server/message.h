// A request and its answer, without the socket that they come and go by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kith::server {

enum class Method : uint8_t { get, head, post, other };

struct Request {
  Method method = Method::get;
  std::string target;  // path and query, percent-encoded, as it came
  std::string body;
  std::string authorization;  // these fields of the head; empty when they are missing
  std::string accept_encoding;
  std::string if_none_match;
  std::string host;
};

struct Response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
  // Of the head, beside type and length.
  std::vector<std::pair<std::string, std::string>> fields;
  // What the request was for, such as "/api/related": for counts by kind. Never what a stranger
  // wrote.
  std::string_view route = "other";
};

// Answers a request; called on several threads at a time.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Response answer(const Request& request) = 0;
  // The longest body that is read of a request with this head, in bytes.
  virtual uint64_t max_body(const Request& head) const = 0;
};

}  // namespace kith::server
