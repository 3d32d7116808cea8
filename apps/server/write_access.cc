#include "write_access.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "host.h"

namespace kith::server {
namespace {

// Takes as long for any wrong token of its length.
bool has_token(const Request& request, const std::string& token) {
  const std::string expected = "Bearer " + token;
  if (request.authorization.size() != expected.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference |= static_cast<unsigned char>(request.authorization[i] ^ expected[i]);
  }
  return difference == 0;
}

bool is_json_type(std::string_view type) {
  std::string name(type.substr(0, type.find(';')));
  name.erase(name.find_last_not_of(" \t") + 1);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name == "application/x-ndjson" || name == "application/json";
}

// The field that says that a page of another site has sent the request; empty without one.
std::string foreign_field(const Request& request) {
  const std::string& site = request.sec_fetch_site;
  if (!site.empty() && site != "same-origin" && site != "none") return "Sec-Fetch-Site: " + site;
  if (request.origin.empty() || is_same_origin(request.origin, request.host)) return {};
  return "Origin: " + request.origin;
}

}  // namespace

std::optional<Response> refuse_writing(const Request& request, const std::string& token) {
  if (!token.empty()) {
    if (has_token(request, token)) return std::nullopt;
    Response response =
        error_response(401, "pages are taken with 'Authorization: Bearer TOKEN' only");
    response.fields.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (const std::string field = foreign_field(request); !field.empty()) {
    return error_response(
        403, fmt::format("pages are not taken from a page of another site ({}); a program that has "
                         "the token of --token-file may give them",
                         field));
  }
  if (is_json_type(request.content_type)) return std::nullopt;
  return error_response(415,
                        "pages are taken with 'Content-Type: application/x-ndjson' or "
                        "'application/json' only");
}

}  // namespace kith::server
