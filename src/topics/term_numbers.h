// Values of some groups by term.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kith::topics {

// Those of a term side by side.
template <class Value>
class TermMatrix {
 public:
  TermMatrix() = default;
  TermMatrix(size_t terms, size_t groups)
      : terms_(terms), groups_(groups), values_(terms * groups + beyond) {}
  size_t groups() const { return groups_; }
  size_t terms() const { return terms_; }
  std::span<Value> operator[](size_t term) {
    return std::span(values_).subspan(term * groups_, groups_);
  }
  std::span<const Value> operator[](size_t term) const {
    return std::span(values_).subspan(term * groups_, groups_);
  }

  // So many values behind a row may be read, and mean nothing: a processor loads whole vectors.
  static constexpr size_t beyond = 3;
  const Value* row(size_t term) const { return values_.data() + term * groups_; }

 private:
  size_t terms_ = 0;
  size_t groups_ = 0;
  std::vector<Value> values_;
};

// The numbers of the terms of a topic, among those of the dictionary.

// A set of terms in which each has its rank: a bit per term, so few that they stay in the cache,
// and a summary of these bits, so that a small set of a large dictionary takes little time. Of one
// thread but for see(); used for one topic after the other.
class TermNumbers {
 public:
  explicit TermNumbers(size_t terms)
      : bits_((terms + 63) / 64), summary_((bits_.size() + 63) / 64), number_(terms) {}

  // Puts a term into the set. Thread-safe.
  void see(uint32_t term) {
    if (set(bits_, term)) set(summary_, term / 64);
  }

  // Numbers the terms of the set from 0 and returns them, ascending.
  std::vector<uint32_t> number() {
    std::vector<uint32_t> terms;
    for_words([&](uint32_t word) {
      for (uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1) {
        const uint32_t term = word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
        number_[term] = static_cast<uint32_t>(terms.size());
        terms.push_back(term);
      }
    });
    return terms;
  }
  // REQUIRES: number() was called since the term was put into the set.
  uint32_t operator[](uint32_t term) const { return number_[term]; }

  void clear() {
    for_words([&](uint32_t word) { bits_[word] = 0; });
    std::ranges::fill(summary_, 0);
  }

 private:
  // False where the bit was set already.
  static bool set(std::vector<uint64_t>& words, uint32_t i) {
    const uint64_t bit = uint64_t{1} << i % 64;
    const std::atomic_ref word(words[i / 64]);
    return (word.load(std::memory_order_relaxed) & bit) == 0 &&
           (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }

  // Those of bits_ that are not 0, ascending.
  template <class Visit>
  void for_words(const Visit& visit) const {
    for (uint32_t i = 0; i < summary_.size(); ++i) {
      for (uint64_t bits = summary_[i]; bits != 0; bits &= bits - 1) {
        visit(i * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
      }
    }
  }

  std::vector<uint64_t> bits_;     // by term: it is in the set
  std::vector<uint64_t> summary_;  // by word of bits_: it is not 0
  std::vector<uint32_t> number_;   // by term, of those in the set
};

}  // namespace kith::topics
