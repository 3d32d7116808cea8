// Requests of any bytes, through to the answers of a server with a run and a stream. The first line
// is the method and the target, the rest the body.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "support/served_run.h"

namespace {

using namespace kith;
using server::Method;
using server::Request;
using server::Response;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

Method method_of(std::string_view word) {
  if (word == "GET") return Method::get;
  if (word == "HEAD") return Method::head;
  return word == "POST" ? Method::post : Method::other;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static test::ServedRun served;
  static const Status made = served.make();
  require(made.is_ok());
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const size_t blank = line.find(' ');
  Request request;
  request.host = "localhost";
  request.content_type = "application/x-ndjson";
  request.method = method_of(line.substr(0, blank));
  if (blank != std::string_view::npos) request.target = line.substr(blank + 1);
  if (line.size() < bytes.size()) request.body = bytes.substr(line.size() + 1);
  const Response response = served.site().answer(request);
  require(response.status >= 200 && response.status < 500);
  if (response.type == "application/json") require(nlohmann::json::accept(response.body));
  return 0;
}
