// What one worker has learnt about words: the step from word to term that a crawl takes for
// every word of every page, so it is laid out for the cache. Not thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::bags {

// A map from words of up to 16 bytes, nearly all there are, to (term, count). The bytes of a
// word are the key itself: no pointer is followed and no string compared.
class WordMemo {
 public:
  static constexpr size_t longest = 16;

  struct Entry {
    uint64_t low = 0;   // the first 8 bytes of the word, zero-padded
    uint64_t high = 0;  // the next 8
    uint32_t term = 0;
    uint32_t length = 0;  // 0: a free slot
    uint64_t count = 0;

    std::string_view word() const { return {reinterpret_cast<const char*>(&low), length}; }
  };

  WordMemo() : slots_(first_size) {}

  // The entry of a word, or a new one with count 0 whose term the caller sets. The reference is
  // valid until the next call. REQUIRES: 0 < word.size() <= longest.
  Entry& operator[](std::string_view word) {
    if (2 * used_ >= slots_.size()) grow();
    Entry key;
    key.length = static_cast<uint32_t>(word.size());
    load(word, key.low, key.high);
    Entry& entry = slot_of(key);
    if (entry.length == 0) {
      entry = key;
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
  static constexpr size_t first_size = 1 << 12;

  static void load(std::string_view word, uint64_t& low, uint64_t& high) {
    const char* const bytes = word.data();
    const size_t n = word.size();
    if (n >= 8) {
      // Two overlapping loads; the shift drops what the first has already.
      uint64_t last = 0;
      std::memcpy(&low, bytes, 8);
      std::memcpy(&last, bytes + n - 8, 8);
      high = n == 8 ? 0 : last >> (8 * (16 - n));
      return;
    }
    high = 0;
    if (n >= 4) {
      uint32_t first = 0;
      uint32_t last = 0;
      std::memcpy(&first, bytes, 4);
      std::memcpy(&last, bytes + n - 4, 4);
      low = first | (uint64_t{last} << (8 * (n - 4)));
      return;
    }
    low = 0;
    std::memcpy(&low, bytes, n);
  }

  Entry& slot_of(const Entry& key) {
    const size_t mask = slots_.size() - 1;
    size_t slot = (key.low * 0x9e3779b97f4a7c15u ^ (key.high + key.length) * 0xc2b2ae3d27d4eb4fu);
    slot = (slot ^ (slot >> 32)) & mask;
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
      if (entry.length != 0) slot_of(entry) = entry;
    }
  }

  std::vector<Entry> slots_;  // a power of two, at most half full
  size_t used_ = 0;
};

}  // namespace kith::bags
