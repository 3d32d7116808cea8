// What a code point is to a word, by ICU's data in one compact table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"

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

// What a code point is to a token of near-duplicates, and what it becomes when text is compared
// (docs/algorithms/near-duplicates.md, "Tokens"), by ICU's data in one compact table.
enum class TokenKind : uint8_t {
  separator,
  letter,      // general category L
  mark,        // M: belongs to what stands before it
  digit,       // N
  unspaced,    // letter or number of a script without blanks: a token of its own
  symbol,      // Sm, Sc, So: a token of its own
  apostrophe,  // vanishes between letters, else separates
  line_break,  // U+200B: vanishes before what it does not part from its word, else separates
};

// A code point and what NFKC_Casefold makes of it alone.
struct TokenLetter {
  int32_t mapping = 0;          // to be added to the code point; or, if it expands, which expansion
  TokenKind kind = {};          // of what it becomes; of an expansion: see the parts of it
  uint8_t combining_class = 0;  // of the first code point that it becomes
  uint8_t expands = 0;          // it becomes none, or several
  uint8_t combines = 0;         // what it becomes may compose with what is before it
  // Whether nothing before it changes what it becomes, or is changed by it.
  bool is_boundary() const { return combining_class == 0 && combines == 0; }
};
static_assert(sizeof(TokenLetter) == sizeof(uint64_t));

class TokenLetters {
 public:
  // The table of the program, made on first use. Thread-safe.
  static const TokenLetters& instance();

  TokenLetter operator[](char32_t c) const {
    return entries_[size_t{page_of_[c >> page_bits]} << page_bits | (c & page_mask)];
  }
  // REQUIRES: letter.expands.
  std::span<const char32_t> expansion(TokenLetter letter) const {
    const auto at = static_cast<size_t>(letter.mapping);
    return std::span(expansions_)
        .subspan(expansions_at_[at], expansions_at_[at + 1] - expansions_at_[at]);
  }

 private:
  static constexpr unsigned page_bits = 7;
  static constexpr char32_t page_mask = (1 << page_bits) - 1;
  static constexpr size_t page_count = 0x110000 >> page_bits;

  TokenLetters();
  // Keeps an expansion and returns which one it is.
  int32_t expand(std::span<const char32_t> code_points);
  void keep_pages(const std::vector<TokenLetter>& all);

  std::array<uint16_t, page_count> page_of_ = {};
  std::vector<TokenLetter> entries_;  // pages, equal ones once
  std::vector<char32_t> expansions_;
  std::vector<uint32_t> expansions_at_{0};
};

}  // namespace kith::text
