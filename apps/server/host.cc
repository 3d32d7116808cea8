#include "host.h"

#include <algorithm>

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

}  // namespace kith::server
