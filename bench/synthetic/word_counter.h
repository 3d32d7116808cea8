// Distinct words of one bag and their counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bags/run.h"
#include "base/check.h"
#include "base/hash.h"

namespace kith::synthetic {

// A small open-addressing table that is emptied by a new stamp. Not thread-safe.
class WordCounter {
 public:
  // The most distinct words of a bag; more than that is our own mistake.
  static constexpr size_t max_words = 512;

  void add(uint32_t term, uint32_t count) {
    size_t at = mix64(term) % slots_.size();
    while (slots_[at].stamp == stamp_ && slots_[at].term != term) at = (at + 1) % slots_.size();
    if (slots_[at].stamp == stamp_) {
      slots_[at].count += count;
      return;
    }
    KITH_CHECK(terms_.size() < max_words);
    slots_[at] = {term, count, stamp_};
    terms_.push_back({term, static_cast<uint32_t>(at)});
  }

  size_t size() const { return terms_.size(); }

  // Replaces `words` by what was added, terms ascending, and starts over.
  void take(std::vector<bags::TermCount>& words) {
    std::ranges::sort(terms_, {}, &Term::term);
    words.clear();
    for (const Term& entry : terms_) words.push_back({entry.term, slots_[entry.slot].count});
    terms_.clear();
    ++stamp_;
  }

 private:
  struct Slot {
    uint32_t term = 0;
    uint32_t count = 0;
    uint32_t stamp = 0;
  };
  struct Term {
    uint32_t term;
    uint32_t slot;
  };
  std::array<Slot, 2 * max_words> slots_;
  std::vector<Term> terms_;
  uint32_t stamp_ = 1;
};

}  // namespace kith::synthetic
