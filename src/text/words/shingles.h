// Shingles: hashes of runs of tokens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "text/words/tokens.h"

namespace kith::text {

// Hashes of tokens. Internal to this folder.

// Nearly all words have at most 16 bytes, and these are hashed from two registers. Immutable.
class TokenHash {
 public:
  static constexpr size_t in_registers = 16;

  explicit TokenHash(uint64_t seed) : salt_(mix64(seed)) {}

  uint64_t operator()(std::string_view word) const {
    if (word.size() > in_registers) return of_long(word);
    std::array<char, in_registers> padded = {};
    std::memcpy(padded.data(), word.data(), word.size());
    return of_short(padded.data(), word.size());
  }

  // The same where 16 bytes are readable from word.data() on, however short the word is: without
  // a branch on its size, which nothing predicts.
  uint64_t of_readable(std::string_view word) const {
    return word.size() > in_registers ? of_long(word) : of_short(word.data(), word.size());
  }

  // Of a token in several pieces: of what was hashed before, and the next piece.
  uint64_t chain(uint64_t before, std::string_view piece) const {
    return mix64(before + (*this)(piece));
  }

  // Of a text that has no token.
  uint64_t of_bytes(std::string_view text) const { return ~of_long(text); }

  // Of a character, which is no word: `code` below 2^32.
  uint64_t of_character(uint64_t code) const { return mix64(~salt_ + code * golden); }

 private:
  struct Mask {
    uint64_t low;
    uint64_t high;
  };
  static constexpr std::array<Mask, in_registers + 1> make_masks() {
    std::array<Mask, in_registers + 1> table = {};
    const auto first_bytes = [](size_t n) {
      return n >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * n)) - 1;
    };
    for (size_t n = 0; n <= in_registers; ++n) {
      table[n] = {first_bytes(n), n < 8 ? 0 : first_bytes(n - 8)};
    }
    return table;
  }
  static const std::array<Mask, in_registers + 1> masks;

  // Two rounds of a bijection: words of up to 8 bytes cannot share a hash unless their lengths
  // differ, longer ones do so by chance only.
  uint64_t of_short(const char* bytes, size_t size) const {
    uint64_t low = 0;
    uint64_t high = 0;
    std::memcpy(&low, bytes, sizeof low);
    std::memcpy(&high, bytes + sizeof low, sizeof high);
    low &= masks[size].low;
    high &= masks[size].high;
    return mix64(mix64(low + salt_) + high + size * golden);
  }
  uint64_t of_long(std::string_view word) const {
    return mix64(mix64(hash64(word) + salt_) + word.size() * golden);
  }

  uint64_t salt_;
};

inline constexpr std::array<TokenHash::Mask, TokenHash::in_registers + 1> TokenHash::masks =
    make_masks();

// Tokens to shingles (Broder 1997; docs/algorithms/near-duplicates.md). Pure.
struct ShingleOptions {
  static constexpr uint32_t max_width = 256;

  TokenOptions tokens;
  uint32_t width = 5;  // tokens of a shingle, in [1, max_width]
  // What the elements of a document are. False: its different shingles. True: its shingles with
  // their numbers, so that the second occurrence of a shingle is an element of its own.
  bool bag = false;
};

// Makes the shingles of documents as hashes of 64 well-mixed bits; two different shingles share
// one with a probability of about 2^-63, and equal ones have equal hashes wherever the options
// are equal. The hashes are fixed for ever.
//
// A document of fewer tokens than the width, but at least one, has one shingle, of all its
// tokens. A document without tokens is blank: it has no shingle, and resembles nothing.
//
// One instance per worker; not thread-safe. What it allocates it keeps for the next document.
class Shingler {
 public:
  // REQUIRES: options.width in range.
  explicit Shingler(const ShingleOptions& options);
  ~Shingler();
  Shingler(Shingler&&) noexcept;
  Shingler& operator=(Shingler&&) noexcept;

  const ShingleOptions& options() const { return options_; }

  // The tokens of `text`, which is shorter than 4 GiB: the room that read() needs at most.
  size_t count_tokens(std::string_view text);
  // Replaces `shingles` by those of `text` in its order, repetitions and all: number k is made
  // of the tokens k to k + width - 1. `text` is shorter than 4 GiB. This is enough for a
  // MinHash of the set, which repetitions do not change.
  void read(std::string_view text, std::vector<uint64_t>& shingles);
  // The same with the byte offset at which token k begins; there are width - 1 more offsets than
  // shingles, or as many as tokens if these are fewer than the width.
  void read(std::string_view text, std::vector<uint64_t>& shingles,
            std::vector<uint32_t>& token_offsets);

  // Makes what read() gave to the elements of the document: ascending, each once; of a bag or a
  // set as the options say.
  void make_elements(std::vector<uint64_t>& shingles);

  // read() and make_elements().
  void elements(std::string_view text, std::vector<uint64_t>& elements);

 private:
  struct Window;

  void read(std::string_view text, std::vector<uint64_t>& shingles,
            std::vector<uint32_t>* token_offsets);

  ShingleOptions options_;
  std::unique_ptr<TokenReader> tokens_;
  std::unique_ptr<Window> window_;
  HashSorter sorter_;
};

// Of a text, by its shingles as read() gives them: equal for the same tokens in the same order,
// else different but for a chance of 2^-63; 0 for a text without any.
uint64_t hash_of_text(std::span<const uint64_t> shingles);

// Removes the elements that are in `common` too, e.g. the shingles that very many documents have
// (Broder et al. 1997). Both ascending, each once. Time grows with the logarithm of what lies in
// `common` between two elements.
void remove_common(std::vector<uint64_t>& elements, std::span<const uint64_t> common);

}  // namespace kith::text
