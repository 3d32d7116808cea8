#include "text/words/stop_words.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/hash.h"
#include "text/words/letters.h"
#include "text/words/terms.h"

namespace kith::text {
namespace {

// A flat hash set with linear probing, at most a quarter full. The tags decide nearly every
// look-up within one cache line; the words confirm.
class StopWordTable {
 public:
  static const StopWordTable& instance() {
    static const StopWordTable table;
    return table;
  }

  uint32_t find(std::string_view word) const {
    if (word.size() > longest_) return 0;
    const uint64_t hash = hash64(word);
    for (size_t at = hash & mask_; slots_[at].languages != 0; at = (at + 1) & mask_) {
      if (slots_[at].tag == tag_of(hash) && words_[at] == word) return slots_[at].languages;
    }
    return 0;
  }

 private:
  struct Slot {
    uint32_t tag = 0;
    uint32_t languages = 0;  // 0: empty
  };

  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  StopWordTable() {
    size_t count = 0;
    for (const auto& list : stop_lists()) count += std::ranges::count(list.words, ' ');
    slots_.resize(std::bit_ceil(count * 4));
    words_.resize(slots_.size());
    mask_ = slots_.size() - 1;
    for (const auto& list : stop_lists()) {
      for (std::string_view rest = list.words; !rest.empty();) {
        const size_t size = rest.find(' ');
        add(rest.substr(0, size), list.language);
        rest.remove_prefix(size + 1);
      }
    }
  }

  void add(std::string_view word, Language language) {
    longest_ = std::max(longest_, word.size());
    const uint64_t hash = hash64(word);
    size_t at = hash & mask_;
    while (slots_[at].languages != 0 && words_[at] != word) at = (at + 1) & mask_;
    words_[at] = word;
    slots_[at].tag = tag_of(hash);
    slots_[at].languages |= language_bit(language);
  }

  std::vector<Slot> slots_;
  std::vector<std::string_view> words_;
  size_t mask_ = 0;
  size_t longest_ = 0;
};

// One letter of the Latin, Greek or Cyrillic script.
bool is_alphabet_letter(std::string_view word) {
  if (word.empty() || word.size() > 3) return false;
  const CodePoint c = decode_utf8(word, 0);
  if (c.size != word.size()) return false;
  const bool is_ascii_letter = c.value >= U'a' && c.value <= U'z';
  const bool is_latin = c.value >= 0xc0 && c.value < 0x250;
  const bool is_greek_or_cyrillic = c.value >= 0x370 && c.value < 0x530;
  const bool is_extended_latin_or_greek = c.value >= 0x1e00 && c.value < 0x2000;
  return is_ascii_letter || is_latin || is_greek_or_cyrillic || is_extended_latin_or_greek;
}

}  // namespace

uint32_t languages_of_stop_word(std::string_view word) {
  return StopWordTable::instance().find(word);
}

bool is_stop_word(Language language, std::string_view word) {
  return is_alphabet_letter(word) || (languages_of_stop_word(word) & language_bit(language)) != 0;
}

}  // namespace kith::text
