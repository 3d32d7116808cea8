#include "text/url/replay.h"

#include <algorithm>

#include "base/bytes.h"
#include "text/url/url.h"

namespace kith::text {
namespace {

bool is_of_archive_org(std::string_view url) {
  const std::string_view host = host_of(url);
  return host == "web.archive.org" || host == "wayback.archive.org" || host == "archive.org" ||
         host == "www.archive.org";
}

// "id_", "wkr_"
bool is_modifier(std::string_view text) {
  if (text.size() < 3 || text.size() > 4 || !text.ends_with('_')) return false;
  return std::ranges::all_of(text.substr(0, text.size() - 1), is_ascii_alpha);
}

// What stands before a URL that is replayed.
bool is_capture(std::string_view segment, bool is_archive_org) {
  constexpr size_t shortest_date = 8;
  constexpr size_t longest_date = 14;
  const auto digits =
      static_cast<size_t>(std::ranges::find_if_not(segment, is_ascii_digit) - segment.begin());
  const std::string_view rest = segment.substr(digits);
  if (digits > longest_date || (!rest.empty() && !is_modifier(rest))) return false;
  return digits >= (is_archive_org && digits > 0 ? 1 : shortest_date) || is_modifier(segment);
}

bool starts_with_scheme(std::string_view text) {
  return starts_with_ignoring_case(text, "http:/") || starts_with_ignoring_case(text, "https:/");
}

// "ex.test/a", which archive.org takes for an address as well.
bool starts_with_host(std::string_view text) {
  const std::string_view host = text.substr(0, text.find_first_of("/?"));
  return host.find('.') != std::string_view::npos && !host.starts_with('.') && !host.ends_with('.');
}

}  // namespace

std::string unwrap_replay(std::string_view url) {
  const bool is_archive_org = is_of_archive_org(url);
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  size_t begin = url.find('/', scheme + 3);
  while (begin != std::string_view::npos) {
    const size_t end = url.find('/', begin + 1);
    if (end == std::string_view::npos) break;
    const std::string_view segment = url.substr(begin + 1, end - begin - 1);
    if (segment.find('?') != std::string_view::npos) break;
    const std::string_view rest = url.substr(end + 1);
    const bool is_web = is_archive_org && segment == "web";
    if (starts_with_scheme(rest) && (is_web || is_capture(segment, is_archive_org))) {
      return std::string(rest);
    }
    const bool has_date = !segment.empty() && is_ascii_digit(segment.front());
    if (is_archive_org && has_date && is_capture(segment, true) && starts_with_host(rest)) {
      return "http://" + std::string(rest);
    }
    begin = end;
  }
  return {};
}

}  // namespace kith::text
