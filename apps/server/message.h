// HTTP messages as values: requests, answers, targets, the head of a request, and who may ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

namespace kith::server {

// A request and its answer, without the socket that they come and go by.
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

// The target of a request, taken apart.

// Path and parameters, decoded. Parameters keep their order.
struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> parameters;

  // The first parameter of that name; null without one. Valid as long as this object.
  const std::string* find(std::string_view name) const;
};

// An error of kind usage when the text is no path with a query, or decodes to no UTF-8.
Result<Target> parse_target(std::string_view text);

// What a handler takes of the parameters. An error is of kind usage, and names the parameter.
class Parameters {
 public:
  explicit Parameters(const Target& target) : target_(&target) {}

  // A parameter that must be there, and not empty.
  Result<std::string> text(std::string_view name) const;
  // A whole number in [least, most]; `usual` without one.
  Result<uint64_t> number(std::string_view name, uint64_t usual, uint64_t least,
                          uint64_t most) const;
  // "1", "true" or an empty value; "0" and "false" are no.
  Result<bool> flag(std::string_view name) const;
  // One of these words, the first without one.
  Result<std::string> choice(std::string_view name,
                             const std::vector<std::string_view>& words) const;
  // An error when there is a parameter that is none of these, or twice the same.
  Status check_names(const std::vector<std::string_view>& names) const;

 private:
  const Target* target_;
};

// What RFC 9112 has refused of the head of a request, and Boost.Beast does not.
struct HeadFault {
  unsigned status = 400;
  std::string_view message;
};

// `head`: the lines of a request up to and with the empty one. Nothing where they are sound, or
// where the parser that comes after this one refuses them.
std::optional<HeadFault> fault_of_head(std::string_view head);

// Who may ask and who may write: the host that is named, tokens and origins.

// Names by which clients call the server.
struct HostField {
  std::string name;  // in lower case, without a dot at its end; an IPv6 address in brackets
  std::string port;  // digits; may be empty
};

// A field Host; nothing where it names no host (RFC 9112, section 3.2).
std::optional<HostField> parse_host(std::string_view field);

// Whether a page of this origin (a field Origin) is one of the server that is called by this field
// Host. Ports that are left out are those of the scheme.
bool is_same_origin(std::string_view origin, std::string_view host);

// Who may write: give pages to a stream.

// Nothing where the request may write; else why not. A program that has the token may. Where there
// is no token (empty), programs of this machine may, but no page that a browser shows: a browser
// lets any page send what a form could, so that the type must be another one, and says in fields of
// the head which page it was.
std::optional<Response> refuse_writing(const Request& request, const std::string& token);

}  // namespace kith::server
