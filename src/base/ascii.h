// ASCII case and blanks, independent of any locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kith {

constexpr bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}
constexpr bool is_ascii_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_ascii_alpha(char c) {
  return is_ascii_upper(c) || (c >= 'a' && c <= 'z');
}
constexpr bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}
// Tab, line feed, form feed, carriage return, blank: the WHATWG's "ASCII whitespace".
constexpr bool is_ascii_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
constexpr char ascii_lower(char c) {
  return is_ascii_upper(c) ? static_cast<char>(c | 0x20) : c;
}

constexpr bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}
constexpr bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

constexpr std::string_view trim_start(std::string_view text) {
  while (!text.empty() && is_ascii_blank(text.front())) text.remove_prefix(1);
  return text;
}

constexpr std::string_view trim(std::string_view text) {
  text = trim_start(text);
  while (!text.empty() && is_ascii_blank(text.back())) text.remove_suffix(1);
  return text;
}

inline std::string to_ascii_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), ascii_lower);
  return lower;
}

}  // namespace kith
