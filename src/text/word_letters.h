// What a code point is to a word, by ICU's data in one compact table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kith::text {

enum class LetterKind : uint8_t {
  none,       // separates words
  letter,     // general category L
  mark,       // general category M: belongs to the letter before it
  joiner,     // apostrophes, soft hyphen, ZWJ, ZWNJ: vanishes between letters
  segmented,  // letter or mark of a script without blanks
};

struct Letter {
  LetterKind kind;
  char32_t lower;  // the simple lower-case mapping
};

class LetterTable {
 public:
  // The table of the program, made on first use. Thread-safe.
  static const LetterTable& instance();

  Letter operator[](char32_t c) const {
    const int32_t entry = entries_[size_t{page_of_[c >> page_bits]} << page_bits | (c & page_mask)];
    return {static_cast<LetterKind>(entry & kind_mask),
            static_cast<char32_t>(static_cast<int32_t>(c) + (entry >> kind_bits))};
  }

 private:
  static constexpr unsigned page_bits = 7;
  static constexpr char32_t page_mask = (1 << page_bits) - 1;
  static constexpr size_t page_count = 0x110000 >> page_bits;
  static constexpr int kind_bits = 3;
  static constexpr int32_t kind_mask = (1 << kind_bits) - 1;

  LetterTable();

  std::array<uint16_t, page_count> page_of_ = {};
  std::vector<int32_t> entries_;  // pages, equal ones once: (lower - c) << kind_bits | kind
};

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

// Writes `c` to `out`, which has room for 4 bytes; returns how many it took.
// REQUIRES: c is a Unicode scalar value.
inline size_t encode_utf8(char32_t c, char* out) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xc0 | c >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xe0 | c >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xf0 | c >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

}  // namespace kith::text
