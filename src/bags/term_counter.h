// How often each term occurs in the fragments of one URL.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bags/run.h"

namespace kith::bags {

// Of the terms that links bring to a URL one in ten is a new one. So they are counted in a small
// hash table that stays in the cache, and only the distinct ones are sorted. Of a URL with very
// many the table is emptied into a sorted list, again and again. Not thread-safe. Memory: some 20
// bytes for every distinct term of a URL, 28 of the table.
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
    if (2 * terms_.size() >= slots_.size()) make_room();
  }

  // Replaces `counts` by what was added, in the order of the terms, and starts over.
  void take(std::vector<TermCount>& counts) {
    counts.clear();
    empty_into(counts);
    if (!sorted_.empty()) {
      merge(counts);
      counts.swap(sorted_);
      sorted_ = {};
    }
    if (slots_.size() > counts.size() * 64) slots_.resize(first_size);
  }

 private:
  static constexpr size_t first_size = 256;
  // Distinct terms in the table until it is emptied; later more, so that merging stays linear.
  static constexpr size_t table_terms = 1 << 16;
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

  void make_room() {
    if (terms_.size() < std::max(table_terms, sorted_.size() / 8)) return grow();
    std::vector<TermCount> counts;
    empty_into(counts);
    merge(counts);
  }

  // Appends what the table holds in the order of the terms.
  void empty_into(std::vector<TermCount>& counts) {
    std::ranges::sort(terms_);
    counts.reserve(counts.size() + terms_.size());
    for (const uint32_t term : terms_) counts.push_back({term, slot_of(term).count});
    std::ranges::fill(slots_, Slot());
    terms_.clear();
  }

  void merge(const std::vector<TermCount>& counts) {
    const auto middle = static_cast<ptrdiff_t>(sorted_.size());
    sorted_.insert(sorted_.end(), counts.begin(), counts.end());
    std::ranges::inplace_merge(sorted_, sorted_.begin() + middle, {}, &TermCount::term);
    size_t kept = 0;
    for (const TermCount& entry : sorted_) {
      if (kept > 0 && sorted_[kept - 1].term == entry.term) {
        uint32_t& count = sorted_[kept - 1].count;
        count += std::min(entry.count, UINT32_MAX - count);
      } else {
        sorted_[kept++] = entry;
      }
    }
    sorted_.resize(kept);
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
  std::vector<TermCount> sorted_;  // what the table was emptied into
};

}  // namespace kith::bags
