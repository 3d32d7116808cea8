#include "server/access.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace kith::server {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_of_name(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
         std::string_view("-._~!$&'()*+,;=%").find(c) != std::string_view::npos;
}

bool is_of_address(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f') || c == ':' || c == '.';
}

}  // namespace

std::optional<HostField> parse_host(std::string_view field) {
  const bool is_address = field.starts_with('[');
  const size_t end = is_address ? field.find(']') : field.find(':');
  if (is_address && end == std::string_view::npos) return std::nullopt;
  std::string_view name = field.substr(0, is_address ? end + 1 : end);
  std::string_view rest = field.substr(name.size());
  if (name.ends_with('.')) name.remove_suffix(1);
  if (!rest.empty() && rest.front() != ':') return std::nullopt;
  if (!rest.empty()) rest.remove_prefix(1);
  const std::string_view inner = is_address ? name.substr(1, name.size() - 2) : name;
  if (inner.empty() || !std::ranges::all_of(inner, is_address ? is_of_address : is_of_name) ||
      !std::ranges::all_of(rest, is_digit)) {
    return std::nullopt;
  }
  HostField host{std::string(name), std::string(rest)};
  std::ranges::transform(host.name, host.name.begin(), lower);
  return host;
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  const bool is_secure = origin.starts_with("https://");
  if (!is_secure && !origin.starts_with("http://")) return false;
  std::optional<HostField> page = parse_host(origin.substr(is_secure ? 8 : 7));
  std::optional<HostField> server = parse_host(host);
  if (!page || !server) return false;
  for (HostField* of : {&*page, &*server}) {
    if (of->port.empty()) of->port = is_secure ? "443" : "80";
  }
  return page->name == server->name && page->port == server->port;
}

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
