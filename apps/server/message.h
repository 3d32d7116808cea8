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
  std::string content_type;
  std::string content_encoding;
  std::string origin;
  std::string sec_fetch_site;
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

// {"error": {"status": 404, "message": "..."}}
Response error_response(unsigned status, std::string_view message);
// 503 with Retry-After.
Response busy_response(std::string_view message);

// Where an answer is made. Those of one lane wait for each other, and for no others.
enum class Lane : uint8_t {
  instant,  // by the thread of the sockets: in microseconds, without a lock or a file
  quick,    // in milliseconds
  slow,     // up to some seconds
  write,    // one at a time
};

// What a request may take.
struct Needs {
  Lane lane = Lane::quick;
  uint64_t max_body = 0;       // bytes; a longer body is answered by 413
  uint64_t answer = 64 << 10;  // bytes that are set aside while the answer is made
};

// Answers a request; called on several threads at a time.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Response answer(const Request& request) = 0;
  // By the head of the request alone.
  virtual Needs needs(const Request& head) const = 0;
};

}  // namespace kith::server
