// What a code point is to a token of near-duplicates, and what it becomes when text is compared
// (docs/algorithms/near-duplicates.md, "Tokens"), by ICU's data in one compact table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kith::text {

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
