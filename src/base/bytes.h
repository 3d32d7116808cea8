// Bytes: their numbers and cases, whatever the locale and the machine, and buffers to read into.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace kith {

// ASCII case and blanks, independent of any locale.
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

// Bytes in and out. Files are little-endian; integers are written one by one, never as a
// struct. Cursor is the only code that reads foreign bytes by position.
using Bytes = std::span<const std::byte>;

static_assert(
    std::endian::native == std::endian::little,
    "kith maps its little-endian files directly; a big-endian port needs readers that swap");

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
template <class T>
requires std::is_trivially_copyable_v<T> Bytes as_bytes(std::span<const T> values) {
  return std::as_bytes(values);
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
requires std::is_integral_v<T>
void append_fixed(std::string& out, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  out.append(raw, sizeof(T));
}

// LEB128: seven bits per byte, the low ones first; 1 to 10 bytes.
inline void append_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

// A varint, how many bytes there are, and then these.
inline void append_string(std::string& out, std::string_view bytes) {
  append_varint(out, bytes.size());
  out += bytes;
}

// Reads values from the front of a byte range that it does not own. After the first read
// past the end, or of a malformed varint, failed() is true for ever and every read gives
// zero: read a whole record, then ask once.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}
  explicit Cursor(Bytes bytes) : rest_(as_text(bytes)) {}

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }
  size_t remaining() const { return rest_.size(); }

  template <class T>
  requires std::is_integral_v<T> T fixed() {
    T value = 0;
    const std::string_view raw = take(sizeof(T));
    if (raw.size() == sizeof(T)) std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  // The next n bytes, or nothing (and failed()) when fewer are left.
  std::string_view take(uint64_t n) {
    if (n > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view front = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return front;
  }

 private:
  void fail() {
    failed_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool failed_ = false;
};

// Room for what is read from a file again and again.

// Grows, is never cleared, and gives its memory back with its end. Not thread-safe.
template <class T>
class ReadBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Values that are to be written; what was given before is no longer valid.
  std::span<T> room_for(size_t values) {
    if (values > room_) memory_ = std::make_unique_for_overwrite<T[]>(room_ = values);
    return {memory_.get(), values};
  }

 private:
  std::unique_ptr<T[]> memory_;
  size_t room_ = 0;
};

// Reads UTF-8 that may be broken.

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
