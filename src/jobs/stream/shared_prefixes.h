// Words that are counted most often, and prefixes that many documents share, in bounded memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kith/shingles.h"

namespace kith::jobs {

// Which words are counted most often, in bounded memory.

// A count divided by 2^times, and rounded down.
inline uint32_t halved(uint32_t count, uint64_t times) {
  return times < 32 ? count >> times : 0;
}

// SpaceSaving (Metwally, Agrawal, El Abbadi, Efficient computation of frequent and top-k elements
// in data streams, 2005), which takes counters away in batches: no order of them need be kept, and
// what is left does not depend on it. A word without a counter was counted floor() at most; one
// that gets a counter begins there, and that is its error: what was counted of it lies in
// [count - error, count]. floor() is at most the sum of all weights, divided by 3/4 of the
// counters.
// Not thread-safe while it changes.
class HeavyHitters {
 public:
  struct Counter {
    uint32_t word;
    uint32_t count;
    uint32_t error;

    // Divided by 2^times.
    Counter halved(uint64_t times) const;
    bool operator==(const Counter&) const = default;
  };

  // most: counters, at least 4. has_index: words are found in constant time, with 4 bytes for every
  // number up to the largest; else by a look at every counter.
  HeavyHitters(uint32_t most, bool has_index);

  // Counts a word that often again. True when it had no counter. Appends words that lose theirs,
  // perhaps this one, to `gone`. REQUIRES: weight > 0; no count reaches 2^32.
  bool add(uint32_t word, uint32_t weight, std::vector<uint32_t>& gone);
  // Divides all counts by 2^times. Appends words of which nothing is left to `gone`.
  void halve(uint64_t times, std::vector<uint32_t>& gone);

  // In no order.
  std::span<const Counter> counters() const { return counters_; }
  uint32_t floor() const { return floor_; }
  // The most that was counted of a word.
  uint32_t most_of(uint32_t word) const;
  // Besides the object itself.
  uint64_t bytes() const;

  // As they were before. REQUIRES: an empty object; different words; at most `most` of them.
  void restore(std::span<const Counter> counters, uint32_t floor);

 private:
  const Counter* find(uint32_t word) const;
  void enter(const Counter& counter);
  void remove_few(std::vector<uint32_t>& gone);
  void remove_below(uint32_t least, std::vector<uint32_t>& gone);

  std::vector<Counter> counters_;
  uint32_t floor_ = 0;
  uint32_t most_;
  // The place of the counter of every word, plus one; 0: none. Null: there is no index.
  std::unique_ptr<std::vector<uint32_t>> places_;
};

// Which pages share how many leading bits of their fingerprints, and whether they should.

// A prefix of fewer bits is of no interest.
inline constexpr int min_prefix_bits = 16;

// Of a page: the most leading bits, 0 to 64, that its fingerprint shares with that of another page.
struct SharedPrefixes {
  int alike = -1;  // with a page that it resembles; -1: it resembles none
  int unlike = 0;  // with a page that it does not resemble; 0: fewer than min_prefix_bits
};

// By set, exactly. Sets resemble each other from `similarity` on; an empty one resembles nothing,
// and shares nothing. Candidates are the sets that share an element of their prefixes, which are
// the rarest elements and so many that similar sets must share one (Chaudhuri, Ganti, Kaushik,
// A primitive operator for similarity joins in data cleaning, 2006). REQUIRES: ascending elements,
// similarity in (0, 1], fewer than 2^32 sets.
std::vector<SharedPrefixes> shared_prefixes(const SetsView& sets, double similarity);

// What that takes for an element, `sets` included where they were appended one by one.
inline constexpr uint64_t shared_prefix_bytes = 60;

}  // namespace kith::jobs
