// How often each term occurs in the fragments of one URL.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bags/run.h"

namespace kith::bags {

// Of the terms that links bring to a URL one in ten is a new one. So they are counted in a small
// hash table that stays in the cache, and only the distinct ones are sorted. Not thread-safe.
// Memory: by the largest number of distinct terms met in a URL.
class TermCounter {
 public:
  TermCounter() : slots_(first_size) {}

  void add(uint32_t term) {
    Slot& slot = slot_of(term);
    if (slot.count == 0) {
      slot.term = term;
      terms_.push_back(term);
    }
    slot.count += slot.count < UINT32_MAX;
    if (2 * terms_.size() >= slots_.size()) grow();
  }

  // Replaces `counts` by what was added, in the order of the terms, and starts over.
  void take(std::vector<TermCount>& counts) {
    std::ranges::sort(terms_);
    counts.clear();
    for (const uint32_t term : terms_) counts.push_back({term, slot_of(term).count});
    std::ranges::fill(slots_, Slot());
    terms_.clear();
    if (slots_.size() > counts.size() * 64) slots_.resize(first_size);
  }

 private:
  static constexpr size_t first_size = 256;
  struct Slot {
    uint32_t term = 0;
    uint32_t count = 0;  // 0: free
  };

  Slot& slot_of(uint32_t term) {
    const size_t mask = slots_.size() - 1;
    size_t slot = (term * 0x9e3779b1u >> 7) & mask;
    while (slots_[slot].count != 0 && slots_[slot].term != term) slot = (slot + 1) & mask;
    return slots_[slot];
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.count != 0) slot_of(slot.term) = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<uint32_t> terms_;
};

}  // namespace kith::bags
