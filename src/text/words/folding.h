// Letters as words know them: compatibility forms, accents and case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "text/words/letters.h"

namespace kith::text {

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
