// How often each term occurs in the fragments of one URL, how many bags have it, and what weights
// and mean of bags these counts give.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/options.h"

#include "bags/run.h"
#include "sketch/bag.h"

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

// The parts of a bag, and where their words are counted.

// What the page says, and what others say of it. A bag of one kind has one part.
enum class BagPart : uint8_t { content = 0, anchor = 1 };
inline constexpr unsigned max_parts = 2;

// Words are counted by slot. In bags of one part that is the term; in bags of both kinds every term
// has two neighbouring slots, one for each part.
class Slots {
 public:
  // parts: 1 or 2.
  explicit Slots(unsigned parts = 1) : shift_(parts - 1) {}

  unsigned parts() const { return shift_ + 1; }
  // REQUIRES: with two parts, term < 2^31.
  uint32_t slot(uint32_t term, BagPart part) const {
    return term << shift_ | (static_cast<uint32_t>(part) & shift_);
  }
  uint32_t term(uint32_t slot) const { return slot >> shift_; }
  unsigned part(uint32_t slot) const { return slot & shift_; }
  // The terms of which all slots are numbers.
  uint32_t max_terms() const { return UINT32_MAX >> shift_; }

 private:
  uint32_t shift_;
};

// In how many bags every term stands.

// Of each part of the bags. Memory: 4 bytes a slot.
class DocumentFrequencies {
 public:
  DocumentFrequencies() = default;
  // For terms in [0, terms).
  DocumentFrequencies(size_t terms, Slots slots)
      : slots_(slots), counts_(terms * slots.parts(), 0) {}

  static uint64_t bytes(uint64_t terms, Slots slots) {
    return terms * slots.parts() * sizeof(uint32_t);
  }

  size_t terms() const { return counts_.size() / slots_.parts(); }
  Slots slots() const { return slots_; }

  // Enters a bag, its counts by slot; false when one is of no term. Which parts are not empty is in
  // `has_part`. Thread-safe.
  bool add(std::span<const TermCount> counts, std::array<bool, max_parts>& has_part) {
    has_part = {};
    for (const TermCount& entry : counts) {
      if (entry.term >= counts_.size()) return false;
      add(entry.term, 1);
      has_part[slots_.part(entry.term)] = true;
    }
    return true;
  }
  // So many bags more have it. Thread-safe. REQUIRES: slot is one of a term.
  void add(uint32_t slot, uint32_t bags) {
    std::atomic_ref(counts_[slot]).fetch_add(bags, std::memory_order_relaxed);
  }

  uint32_t of_part(uint32_t term, unsigned part) const {
    return counts_[slots_.slot(term, BagPart(part))];
  }
  // Of all parts: a bag that has it in both counts twice. Capped at UINT32_MAX.
  uint32_t of_all(uint32_t term) const {
    uint64_t sum = 0;
    for (unsigned part = 0; part < slots_.parts(); ++part) sum += of_part(term, part);
    return static_cast<uint32_t>(std::min<uint64_t>(sum, UINT32_MAX));
  }
  // Whether enough bags have it in one of their parts.
  bool reaches(uint32_t term, uint32_t min_df) const {
    for (unsigned part = 0; part < slots_.parts(); ++part) {
      if (of_part(term, part) >= min_df) return true;
    }
    return false;
  }
  // Terms that are in some bag.
  uint64_t met() const {
    uint64_t terms_met = 0;
    for (uint32_t term = 0; term < terms(); ++term) terms_met += of_all(term) > 0;
    return terms_met;
  }

 private:
  Slots slots_;
  std::vector<uint32_t> counts_;  // by slot
};

// From counts to weights (the paper, section 2.2; docs/algorithms/bags.md).

// The factor of a term that stands in df of n bags, df in [1, n]:
//   tf_idf  ln((n + 1) / df): a word in every bag keeps a small weight, so that a crawl of equal
//           pages has bags; elsewhere this is the paper's ln(n / df)
//   nmdf    exp(-(ln df - mu)^2 / (2 sigma^2)), mu = ln(n) / 2, sigma = ln(n) / 5
//   tf      1
// Always > 0.
double term_factor(Weighting weighting, uint64_t df, uint64_t n);

// What a count adds: sqrt(f), or f itself for Weighting::tf.
double count_factor(Weighting weighting, uint32_t count);

struct RealWeight {
  uint32_t term;
  double weight;  // > 0, finite
};

// Scales weights to integers that add up to bag_total exactly. Every entry gets one unit and
// its share of the other units, rounded down; what rounding leaves goes to the largest
// remainders (ties: the earlier entry). Entries keep their order. At most max_terms weights (0 or
// more than 65,536: 65,536): the largest are kept (ties: the earlier) and the number of those
// dropped is returned.
size_t normalise(std::span<const RealWeight> weights, uint32_t max_terms,
                 std::vector<sketch::BagEntry>& bag);

// The weighted mean of bags.

// Adds up bags, each times its share. Sums are integers, so the mean depends on the bags and their
// shares, not on their order. Not thread-safe. Memory: bytes().
class MeanBag {
 public:
  // What the mean of bags takes that have so many entries in all.
  static constexpr uint64_t bytes(uint64_t entries) { return 96 * entries; }

  // share: > 0. All shares of a mean add up to at most 2^30, so that sums are exact as doubles.
  void add(sketch::Bag bag, uint32_t share);

  // Replaces `bag` by the mean of what was added, by ascending term, and starts over: at most
  // max_terms entries, > 0, those of the largest sums (of equal sums the smaller terms), scaled as
  // normalise() does. Empty if no entry was added.
  void take(uint32_t max_terms, std::vector<sketch::BagEntry>& bag);

 private:
  boost::unordered_flat_map<uint32_t, uint64_t> sums_;  // by term
  std::vector<std::pair<uint32_t, uint64_t>> ordered_;
  std::vector<RealWeight> weights_;
};

}  // namespace kith::bags
