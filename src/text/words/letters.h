// What a code point is to a word, by ICU's data in one compact table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace kith::text {

enum class LetterKind : uint8_t {
  none,       // separates words
  letter,     // general category L
  mark,       // general category M: belongs to the letter before it
  joiner,     // apostrophes, soft hyphen, ZWJ, ZWNJ: vanishes between letters
  segmented,  // letter or mark of a script without blanks
  digit,      // general category Nd: separates words
};

struct Letter {
  LetterKind kind;
  char32_t lower;  // the simple lower-case mapping
};

// Whether `c` is of a script that puts no blanks between words: Han, Hiragana, Katakana, Bopomofo,
// Thai, Lao, Khmer, Myanmar. Asks ICU: for tables, not for texts.
bool is_unspaced(char32_t c);

// Whether a zero-width space (U+200B) before this letter or digit is but a place where a line may
// be broken, as within long words of Europe and the Near East. In scripts of southern Asia and the
// Far East it ends words.
inline bool is_joined_over_line_break(char32_t c) {
  return c < 0x900 || (c >= 0x1e00 && c < 0x2000);
}

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
