// Reads UTF-8 that may be broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kith {

// U+FFFD, which stands for what cannot be read.
inline constexpr std::string_view utf8_replacement = "\xef\xbf\xbd";

// A code point of UTF-8 and how many bytes it takes. What is no UTF-8 is U+FFFD of one byte.
struct CodePoint {
  char32_t value;
  uint32_t size;
};

// REQUIRES: at < text.size().
inline CodePoint decode_utf8(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const auto tail = [&](size_t i) -> char32_t { return byte(i) & 0x3f; };
  const auto is_tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const size_t left = text.size() - at;
  const char32_t lead = byte(0);
  constexpr CodePoint invalid = {0xfffd, 1};
  if (lead < 0x80) return {lead, 1};
  if (lead >= 0xc2 && lead < 0xe0) {
    if (left < 2 || !is_tail(1)) return invalid;
    return {(lead & 0x1f) << 6 | tail(1), 2};
  }
  if ((lead & 0xf0) == 0xe0) {
    if (left < 3 || !is_tail(1) || !is_tail(2)) return invalid;
    const char32_t value = (lead & 0xf) << 12 | tail(1) << 6 | tail(2);
    if (value < 0x800 || (value >= 0xd800 && value < 0xe000)) return invalid;
    return {value, 3};
  }
  if ((lead & 0xf8) == 0xf0) {
    if (left < 4 || !is_tail(1) || !is_tail(2) || !is_tail(3)) return invalid;
    const char32_t value = (lead & 0x7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
    if (value < 0x10000 || value > 0x10ffff) return invalid;
    return {value, 4};
  }
  return invalid;
}

// The beginning of valid UTF-8, at most so many bytes, not cut inside a character.
inline std::string_view cut_utf8(std::string_view text, size_t longest) {
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<uint8_t>(text[longest]) & 0xc0) == 0x80) --longest;
  return text.substr(0, longest);
}

// `text` with U+FFFD, which takes three bytes, for every byte that is not of valid UTF-8; nothing
// where that makes more than `longest` bytes.
std::optional<std::string> with_valid_utf8(std::string_view text, size_t longest = SIZE_MAX);

}  // namespace kith
