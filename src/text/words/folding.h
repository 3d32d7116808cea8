// Compatibility forms and normal forms of letters, as words know them (docs/algorithms/words.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kith::text {

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

}  // namespace kith::text
