#include "text/url/cdx_key.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "text/url/url.h"

namespace kith::text {
namespace {

// The byte that the escape at the front of a text stands for; -1 where it begins with none.
int escaped_byte(std::string_view text) {
  if (text.size() < 3 || text.front() != '%') return -1;
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 3, byte, 16);
  return error == std::errc() && end == text.data() + 3 ? static_cast<int>(byte) : -1;
}

// In lower case, with escapes of printable ASCII undone, and those of escapes, too.
std::string without_escapes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += ascii_lower(c);
    while (out.size() >= 3) {
      const int byte = escaped_byte(std::string_view(out).substr(out.size() - 3));
      if (byte <= 0x20 || byte >= 0x7f || byte == '#') break;
      out.resize(out.size() - 3);
      out += ascii_lower(static_cast<char>(byte));
    }
  }
  return out;
}

// The same, and what looks like an escape and is none, escaped.
std::string plain(std::string_view text) {
  const std::string all = without_escapes(text);
  std::string out;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_bare = all[i] == '%' && escaped_byte(std::string_view(all).substr(i)) < 0;
    out += is_bare ? std::string("%25") : std::string(1, all[i]);
  }
  return out;
}

std::string_view without_www(std::string_view host) {
  if (!host.starts_with("www")) return host;
  const size_t dot = host.find_first_not_of("0123456789", 3);
  return dot != std::string_view::npos && host[dot] == '.' ? host.substr(dot + 1) : host;
}

void append_reversed(std::string_view host, std::string& key) {
  for (;;) {
    const size_t dot = host.rfind('.');
    key += host.substr(dot == std::string_view::npos ? 0 : dot + 1);
    if (dot == std::string_view::npos) return;
    key += ',';
    host = host.substr(0, dot);
  }
}

// Without empty segments and those of dots.
void append_path(std::string_view path, std::string& key) {
  std::vector<std::string_view> segments;
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view segment = path.substr(at, end - at);
    if (segment == ".." && !segments.empty()) segments.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") segments.push_back(segment);
    at = end + 1;
  }
  if (segments.empty()) key += '/';
  for (const std::string_view segment : segments) {
    key += '/';
    key += segment;
  }
}

bool has_only(std::string_view text, size_t size, bool letters_only) {
  return text.size() == size && std::ranges::all_of(text, [&](char c) {
           return is_ascii_alpha(c) || (!letters_only && is_ascii_digit(c));
         });
}

bool is_session(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 3> names = {"jsessionid", "phpsessid", "sid"};
  if (std::ranges::find(names, name) != names.end()) return has_only(value, 32, false);
  if (name == "cfid" || name == "cftoken") return !value.empty();
  return name.starts_with("aspsessionid") && has_only(name.substr(12), 8, true) &&
         has_only(value, 24, true);
}

void append_query(std::string_view query, std::string& key) {
  std::vector<std::pair<std::string_view, std::string_view>> parameters;
  for (size_t at = 0; at <= query.size();) {
    const size_t end = std::min(query.find('&', at), query.size());
    const std::string_view parameter = query.substr(at, end - at);
    const size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string_view value = parameter.substr(equals);
    const bool is_dropped =
        is_session(parameter.substr(0, equals), value.substr(std::min<size_t>(1, value.size())));
    if (!is_dropped) parameters.emplace_back(parameter.substr(0, equals), value);
    // The separator before the last one stays, and so an empty parameter.
    if (is_dropped && at > 0 && end == query.size()) parameters.emplace_back();
    at = end + 1;
  }
  std::ranges::sort(parameters);
  const size_t begin = key.size();
  for (const auto& [name, value] : parameters) {
    key += key.size() == begin ? '?' : '&';
    key += name;
    key += value;
  }
  if (key.size() == begin + 1) key.pop_back();
}

}  // namespace

std::string cdx_key(std::string_view url) {
  std::string key;
  std::string_view host = host_of(url);
  const size_t host_end = url.find("://") + 3 + host.size();
  const size_t path_begin = std::min(url.find('/', host_end), url.size());
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  append_reversed(without_www(host), key);
  key += url.substr(host_end, path_begin - host_end);  // the port
  key += ')';
  const std::string rest = plain(url.substr(path_begin));
  const size_t query = std::min(rest.find('?'), rest.size());
  append_path(std::string_view(rest).substr(0, query), key);
  if (query < rest.size()) append_query(std::string_view(rest).substr(query + 1), key);
  return key;
}

}  // namespace kith::text
