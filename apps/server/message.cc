#include "message.h"

#include "json.h"

namespace kith::server {

Response error_response(unsigned status, std::string_view message) {
  Response response;
  response.status = status;
  const Json json{{"error", {{"status", status}, {"message", message}}}};
  response.body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  return response;
}

Response busy_response(std::string_view message) {
  Response response = error_response(503, message);
  response.fields.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace kith::server
