// What one worker has learnt about words: the step from word to term that a crawl takes for
// every word of every page, so it is laid out for the cache. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"

namespace kith::bags {

// A map from words of up to 16 bytes, nearly all there are, to (term, count). The bytes of a
// word are the key itself: no pointer is followed and no string compared.
class WordMemo {
 public:
  static constexpr size_t longest = 16;
  // What an empty memo takes.
  static constexpr size_t empty_bytes = 128 << 10;

  // The bytes of a word, zero-padded, and where its search begins.
  struct Key {
    uint64_t low;   // the first 8 bytes
    uint64_t high;  // the next 8
    uint32_t length;
    uint32_t hash;

    std::string_view word() const { return {reinterpret_cast<const char*>(&low), length}; }
  };

  struct Entry {
    uint64_t low = 0;
    uint64_t high = 0;
    uint32_t term = 0;
    uint32_t length = 0;  // 0: a free slot
    uint64_t count = 0;

    std::string_view word() const { return {reinterpret_cast<const char*>(&low), length}; }
  };

  WordMemo() : slots_(first_size) {}

  // REQUIRES: 0 < word.size() <= longest.
  static Key key_of(std::string_view word) {
    std::array<char, longest> padded = {};
    std::memcpy(padded.data(), word.data(), word.size());
    Key key;
    load_key({padded.data(), word.size()}, key);
    return key;
  }

  // The same without a branch on the size, which nothing predicts.
  // REQUIRES: `longest` bytes are readable from word.data() on.
  static void load_key(std::string_view word, Key& key) {
    static_assert(longest == 2 * sizeof(uint64_t));
    uint64_t low = 0;
    uint64_t high = 0;
    std::memcpy(&low, word.data(), sizeof low);
    std::memcpy(&high, word.data() + sizeof low, sizeof high);
    low &= masks[word.size()].low;
    high &= masks[word.size()].high;
    key.low = low;
    key.high = high;
    key.length = static_cast<uint32_t>(word.size());
    key.hash = hash_of(low, high);
  }

  // Asks for the cache line in which the search for the key will begin.
  void prefetch(const Key& key) const {
    __builtin_prefetch(slots_.data() + (key.hash & (slots_.size() - 1)), 1);
  }

  // The entry of a word, or a new one with count 0 whose term the caller sets. The reference is
  // valid until the next call.
  Entry& operator[](const Key& key) {
    if (2 * used_ >= slots_.size()) grow();
    Entry& entry = slot_of(key);
    if (entry.length == 0) {
      entry = {key.low, key.high, 0, key.length, 0};
      ++used_;
    }
    return entry;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : slots_) {
      if (entry.length != 0) visit(entry);
    }
  }

 private:
  static constexpr size_t first_size = empty_bytes / sizeof(Entry);

  struct Mask {
    uint64_t low;
    uint64_t high;
  };
  static constexpr std::array<Mask, longest + 1> make_masks() {
    std::array<Mask, longest + 1> table = {};
    const auto first_bytes = [](size_t n) {
      return n >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * n)) - 1;
    };
    for (size_t n = 0; n <= longest; ++n)
      table[n] = {first_bytes(n), n < 8 ? 0 : first_bytes(n - 8)};
    return table;
  }
  static const std::array<Mask, longest + 1> masks;

  // Seeded anew in every process, so that no page can hold words chosen to share a slot. Slots are
  // seen by nobody: what for_each visits is summed by term.
  static uint32_t hash_of(uint64_t low, uint64_t high) {
    return static_cast<uint32_t>(mix64(mix64(low ^ seed) ^ high));
  }
  static const uint64_t seed;

  Entry& slot_of(const Key& key) {
    const size_t mask = slots_.size() - 1;
    size_t slot = key.hash & mask;
    while (slots_[slot].length != 0 &&
           (slots_[slot].low != key.low || slots_[slot].high != key.high ||
            slots_[slot].length != key.length)) {
      slot = (slot + 1) & mask;
    }
    return slots_[slot];
  }

  void grow() {
    std::vector<Entry> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Entry& entry : old) {
      if (entry.length == 0) continue;
      const uint32_t hash = hash_of(entry.low, entry.high);
      slot_of({entry.low, entry.high, entry.length, hash}) = entry;
    }
  }

  std::vector<Entry> slots_;  // a power of two, at most half full
  size_t used_ = 0;
};

inline constexpr std::array<WordMemo::Mask, WordMemo::longest + 1> WordMemo::masks = make_masks();
inline const uint64_t WordMemo::seed = random_seed();

}  // namespace kith::bags
