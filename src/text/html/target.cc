#include "text/html/target.h"

#include <algorithm>

#include "base/bytes.h"

namespace kith::text {
namespace {

// Reads the seconds at the front of `content`, which may have a fraction; false when there are
// none or too many.
bool read_delay(std::string_view& content) {
  content = trim_start(content);
  if (content.empty() || !(is_ascii_digit(content.front()) || content.front() == '.')) return false;
  unsigned seconds = 0;
  for (; !content.empty() && is_ascii_digit(content.front()); content.remove_prefix(1)) {
    seconds = std::min(1000u, seconds * 10 + static_cast<unsigned>(content.front() - '0'));
  }
  while (!content.empty() && (is_ascii_digit(content.front()) || content.front() == '.')) {
    content.remove_prefix(1);
  }
  return seconds <= longest_refresh_seconds;
}

// Drops "url =" from the front of `text`, if it is there.
std::string_view without_url_key(std::string_view text) {
  if (!starts_with_ignoring_case(text, "url")) return text;
  const std::string_view rest = trim_start(text.substr(3));
  return rest.starts_with('=') ? trim_start(rest.substr(1)) : text;
}

}  // namespace

std::optional<std::string_view> refresh_target(std::string_view content) {
  if (!read_delay(content)) return std::nullopt;
  const bool has_blank = !content.empty() && is_ascii_blank(content.front());
  content = trim_start(content);
  const bool has_separator = content.starts_with(';') || content.starts_with(',');
  if (!has_separator && !has_blank) return std::nullopt;
  if (has_separator) content = trim_start(content.substr(1));
  content = without_url_key(content);
  if (content.starts_with('"') || content.starts_with('\'')) {
    const char quote = content.front();
    content.remove_prefix(1);
    content = content.substr(0, content.find(quote));
  }
  content = trim(content);
  if (content.empty()) return std::nullopt;
  return content;
}

bool is_canonical(std::string_view rel) {
  while (!(rel = trim_start(rel)).empty()) {
    const auto end = std::ranges::find_if(rel, is_ascii_blank);
    const auto size = static_cast<size_t>(end - rel.begin());
    if (equals_ignoring_case(rel.substr(0, size), "canonical")) return true;
    rel.remove_prefix(size);
  }
  return false;
}

}  // namespace kith::text
