// Which item has a shingle: an inverted index of the items of all test sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "jobs/contaminated/test_sets.h"

namespace kith::jobs {

// Calls take(k, hash) for every k for which the tokens from k on fill a shingle. Equal shingles
// have equal hashes.
template <class Take>
void for_each_shingle(std::span<const uint64_t> tokens, uint32_t width, const Take& take) {
  if (tokens.size() < width) return;
  // The polynomial sum t_i B^(w-1-i) mod 2^64 of tokens that are well-mixed hashes.
  constexpr uint64_t base = 0xd1342543de82ef97;
  uint64_t leaving = 1;  // the factor of the token that leaves the window, before it moves on
  uint64_t value = 0;
  for (uint32_t i = 0; i + 1 < width; ++i) {
    value = value * base + tokens[i];
    leaving *= base;
  }
  for (size_t k = 0; k + width <= tokens.size(); ++k) {
    value = value * base + tokens[k + width - 1];
    take(k, mix64(value));
    value -= tokens[k] * leaving;
  }
}

// A shingle of a text.
struct Posting {
  uint64_t hash;
  uint32_t text;      // of TestSets::texts
  uint32_t position;  // of its first token in the text, where it occurs first
  uint32_t count;     // how often it occurs in the text
};

// Shingles of one width. Immutable, thread-safe.
class ShingleIndex {
 public:
  // is_of_whole: a posting stands for its whole text, of which it is the rarest part.
  ShingleIndex(uint32_t width, bool is_of_whole, std::vector<Posting> postings);

  uint32_t width() const { return width_; }
  bool is_of_whole() const { return is_of_whole_; }

  // Whether there may be a posting: false for all but a sixteenth of those that are not there.
  bool may_have(uint64_t hash) const {
    const uint64_t bit = hash >> filter_shift_;
    return (filter_[bit / 64] >> bit % 64 & 1) != 0;
  }
  // The number of the first posting with that hash; or none.
  static constexpr uint32_t none = UINT32_MAX;
  uint32_t find(uint64_t hash) const;
  // Those with its hash, by text.
  std::span<const Posting> from(uint32_t first) const {
    uint32_t end = first + 1;
    while (end < postings_.size() && postings_[end].hash == postings_[first].hash) ++end;
    return std::span(postings_).subspan(first, end - first);
  }

 private:
  uint32_t width_;
  bool is_of_whole_;
  uint32_t filter_shift_ = 0;
  uint32_t bucket_shift_ = 0;
  std::vector<uint64_t> filter_;   // bits, by the first bits of hashes
  std::vector<uint32_t> buckets_;  // the first posting of each, by the same; and the number of all
  std::vector<Posting> postings_;  // by hash and text
};

// The items of test sets by shingles. Immutable, thread-safe.
class ItemIndex {
 public:
  // Counts in `sets` the shingles that do not count and the items that are found as a whole. `sets`
  // outlives the index.
  static Result<ItemIndex> make(TestSets& sets, const Budget& memory);

  const TestSets& sets() const { return *sets_; }
  std::span<const ShingleIndex> widths() const { return widths_; }
  // The shingles of a text that count, repetitions included; 0: it is found as a whole.
  uint32_t shingles(uint32_t text) const { return shingles_[text]; }
  // How many of them a passage must have.
  uint32_t needed(uint32_t text) const;
  // The items of a text: their numbers in its suite.
  std::span<const uint32_t> items(uint32_t text) const {
    return std::span(items_).subspan(first_items_[text],
                                     first_items_[text + 1] - first_items_[text]);
  }
  uint64_t bytes() const;

 private:
  explicit ItemIndex(const TestSets& sets) : sets_(&sets) {}
  void group_items();

  const TestSets* sets_;
  std::vector<ShingleIndex> widths_;
  std::vector<uint32_t> shingles_;
  std::vector<uint64_t> first_items_;
  std::vector<uint32_t> items_;
};

}  // namespace kith::jobs
