// Hashes of tokens. Internal to this folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/hash.h"

namespace kith::text {

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

}  // namespace kith::text
