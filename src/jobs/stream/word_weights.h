// On how many pages of a stream each word stands, and the bags of words by that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "jobs/stream/features.h"

namespace kith::jobs {

// The weights of words are those of the last epoch, so that bags of one epoch can be compared. An
// epoch begins when 256 pages were counted, and whenever they have doubled. Before the first, words
// differ by their counts alone. Not thread-safe while it changes.
class WordWeights {
 public:
  // What is known of a word: pages counted, and those of them before the epoch.
  struct Word {
    uint32_t term;
    uint32_t pages;
    uint32_t known;  // <= pages
  };
  static constexpr uint64_t first_epoch = 256;
  // The most words that are counted; others have a document frequency of 1. At the beginning of an
  // epoch the words of the fewest pages are dropped.
  static constexpr uint64_t usual_words = 1 << 20;

  explicit WordWeights(uint64_t most_words = usual_words) : most_words_(most_words) {}

  // Counts a page with these words: their terms stand in the upper halves. True when that begins an
  // epoch.
  bool count(Features words);

  // Replaces `bag` by that of a page: how often a word occurs stands in the lower half, and is > 0.
  void weigh(Features words, std::vector<uint64_t>& bag) const;

  uint64_t pages() const { return pages_; }
  uint64_t known_pages() const { return known_pages_; }
  // By ascending term.
  std::vector<Word> words() const;
  // False when such a state cannot come about. REQUIRES: an empty object.
  bool restore(uint64_t pages, uint64_t known_pages, std::span<const Word> words);

  uint64_t bytes() const;

 private:
  struct Pages {
    uint32_t now = 0;
    uint32_t known = 0;
  };
  void begin_epoch();

  uint64_t most_words_;
  boost::unordered_flat_map<uint32_t, Pages> words_;
  uint64_t pages_ = 0;
  uint64_t known_pages_ = 0;  // when the epoch began; 0: before the first
};

}  // namespace kith::jobs
