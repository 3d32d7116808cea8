// The words of a made crawl: Zipf's law at the head, a longer tail of rare words behind it, and
// how a word is spelled. The law and its constants are docs/algorithms/synthetic.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "synthetic/zipf_law.h"

namespace kith::synthetic {

// A word of at most 14 letters with a blank behind it, as one block of 16 bytes that is copied
// whole: the bytes behind the blank are overwritten by what follows.
struct Spelling {
  char bytes[15];
  uint8_t size;  // of the word, without the blank

  std::string_view word() const { return {bytes, size}; }

  // Writes the word and a blank, and returns where the next word goes. REQUIRES: room for 16 bytes.
  char* write(char* to) const {
    std::memcpy(to, this, sizeof(*this));
    return to + size + 1;
  }
};
static_assert(sizeof(Spelling) == 16);

// The word of a number: lower-case syllables, different for different numbers, longer for larger
// ones. REQUIRES: number < 2^46.
Spelling spell_word(uint64_t number);

// Draws words of general text; the first 36 ranks are function words of English. Immutable,
// thread-safe. 160 KB.
class CrawlWords {
 public:
  static constexpr uint32_t head_words = 8192;
  static constexpr uint64_t max_words = uint64_t{1} << 45;

  CrawlWords();

  // The rank of a word, below max_words, of 64 uniform bits; a low rank is a frequent word.
  uint64_t rank(uint64_t bits) const {
    return bits < tail_bits_ ? tail_rank(bits) : head_.rank(head_bits(bits));
  }

  // Writes the word of rank(bits) and a blank. REQUIRES: room for 16 bytes.
  char* write(uint64_t bits, char* to) const {
    if (bits < tail_bits_) return spell_word(tail_rank(bits)).write(to);
    return spelled_[head_.rank(head_bits(bits))].write(to);
  }

  // The mean number of different words in so many draws: the integral of 1 - (1 - p(r))^draws.
  double expected_vocabulary(double draws) const;

 private:
  // The bits that are not of the tail, stretched over all 64 bits.
  uint64_t head_bits(uint64_t bits) const {
    __extension__ using Wide = unsigned __int128;
    const uint64_t above = bits - tail_bits_;
    return above + static_cast<uint64_t>((static_cast<Wide>(above) * head_stretch_) >> 64);
  }

  uint64_t tail_rank(uint64_t bits) const;

  ZipfLaw head_;
  double tail_share_;              // of all draws
  uint64_t tail_bits_;             // draws below it are of the tail
  uint64_t head_stretch_;          // 2^64 (1 / (1 - tail_share_) - 1)
  double tail_scale_;              // 1 / tail_bits_
  std::vector<Spelling> spelled_;  // of the head
};

}  // namespace kith::synthetic
