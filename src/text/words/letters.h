// Letters as words know them: what a code point is to a word, by ICU's data in one compact table,
// and compatibility forms, accents and case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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

// Compatibility forms and normal forms of letters, as words know them (docs/algorithms/words.md).

// Letters and marks that are written otherwise in NFKC: full-width letters, ligatures, letters of
// mathematics, presentation forms of Arabic, and the parts of Hangul syllables, which compose.
class FoldedLetters {
 public:
  // The set of the program, made on first use. Thread-safe.
  static const FoldedLetters& instance();

  bool contains(char32_t c) const { return (bits_[c >> 6] >> (c & 63) & 1) != 0; }

 private:
  FoldedLetters();
  std::array<uint64_t, 0x110000 / 64> bits_ = {};
};

// Whether `mark`, which does not compose with `last`, the character before it, may compose with
// another one, or stand elsewhere among the marks of its letter.
bool may_be_reordered(char32_t last, char32_t mark);

// Replaces `folded` by the letters and marks of `word` in NFKC, in lower case; what is no letter
// there vanishes. `folded` is `word` where no letter is left.
void fold_word(std::string_view word, std::string& folded);

// A run of a script without blanks in NFC, half-width letters as full ones (NFKC).
struct FoldedRun {
  std::string text;
  std::vector<uint16_t> places;  // of every byte of `text`: where its character begins in the run
};
// False where the run is folded as it stands. REQUIRES: run.size() <= UINT16_MAX.
bool fold_run(std::string_view run, FoldedRun& folded);

// A text as near-duplicates compare it, code point by code point: each in NFKC_Casefold, the whole
// composed (NFC). Pure.

// Reads a text by segments: the shortest pieces that compose by themselves, nearly always a single
// code point. Not thread-safe.
class FoldedText {
 public:
  struct Item {
    char32_t code_point;
    TokenKind kind;
  };

  // Starts at the byte `at` of `text`, where a segment begins, and which must outlive the reading.
  void reset(std::string_view text, size_t at);

  // What comes next; null at the end of the text. Valid until the next pop() or reset().
  const Item* front() { return next_ < items_.size() || load() ? &items_[next_] : nullptr; }
  // REQUIRES: front() is not null.
  void pop() { ++next_; }
  // The bytes of the text where the segment of front() begins, and where the next one does.
  size_t segment_begin() const { return segment_begin_; }
  size_t segment_end() const { return at_; }
  // Whether front() begins its segment.
  bool begins_segment() const { return next_ == 0; }
  // Whether nothing of the segments that were loaded is left.
  bool is_empty() const { return next_ == items_.size(); }

 private:
  // Of hostile text: more marks than this do not compose with each other.
  static constexpr size_t max_segment = 1024;

  bool load();
  void decode();
  void append(TokenLetter letter);
  void compose();

  const TokenLetters& letters_ = TokenLetters::instance();
  std::string_view text_;
  size_t at_ = 0;  // not loaded yet
  size_t segment_begin_ = 0;
  CodePoint decoded_ = {};  // at at_, where the text does not end there
  TokenLetter decoded_letter_;
  std::vector<Item> items_;
  size_t next_ = 0;
};

}  // namespace kith::text
