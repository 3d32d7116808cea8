// What documents of a stream are compared by, whatever kind it is: some numbers of 64 bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/stream.h"

#include "sketch/bag.h"

namespace kith::jobs {

// By shingles the elements of a set, ascending, each once; by simhash and fingerprint one number;
// by bags an entry each, its term in the upper half and its weight in the lower one, ascending; or
// its count, where weights are learnt.
using Features = std::span<const uint64_t>;

// Features that are kept in memory. A single one, as fingerprints are, takes no memory of its own.
class KeptFeatures {
 public:
  KeptFeatures() = default;
  explicit KeptFeatures(Features features) : size_(features.size()) {
    if (size_ == 1) {
      single_ = features[0];
    } else if (size_ > 1) {
      many_ = std::make_unique_for_overwrite<uint64_t[]>(size_);
      std::ranges::copy(features, many_.get());
    }
  }

  Features view() const { return {size_ == 1 ? &single_ : many_.get(), size_}; }
  // Besides the object itself.
  uint64_t bytes() const { return size_ > 1 ? size_ * sizeof(uint64_t) : 0; }

 private:
  size_t size_ = 0;
  uint64_t single_ = 0;
  std::unique_ptr<uint64_t[]> many_;
};

// Features of a document as they are looked at: in memory, or read from a file. A view lives as
// long as this object, and not beyond the next change of where they are kept.
class LoadedFeatures {
 public:
  LoadedFeatures() = default;
  explicit LoadedFeatures(Features kept) : data_(kept.data()), size_(kept.size()) {}
  explicit LoadedFeatures(uint64_t single) : single_(single), size_(1) {}
  LoadedFeatures(std::unique_ptr<uint64_t[]> read, size_t size)
      : read_(std::move(read)), data_(read_.get()), size_(size) {}

  Features view() const { return {data_ == nullptr ? &single_ : data_, size_}; }

 private:
  uint64_t single_ = 0;
  std::unique_ptr<uint64_t[]> read_;
  const uint64_t* data_ = nullptr;  // null: single_, or nothing
  size_t size_ = 0;
};

// An entry of a bag as a number, and a bag of such numbers.
inline uint64_t packed(const sketch::BagEntry& entry) {
  return uint64_t{entry.term} << 32 | entry.weight;
}
std::vector<sketch::BagEntry> bag_of(Features features);

// Whether a stream with these options can make such features.
bool are_sound(const StreamOptions& options, Features features);

// Whether they are a bag: terms that ascend, and weights that add up to bag_total; or empty.
bool is_bag(Features features);

// Whether the weights of words are those of this stream, and not of a run: documents are then
// counts of words instead of bags.
bool learns_words(const StreamOptions& options);

// How similar two documents are by the options of a stream, in [0, 1]: by shingles as
// StreamMeasure says; by bags as Bags::similarity(); by simhash the share of the 64 bits that are
// equal; by fingerprint 1 or 0. Documents without features are similar to nothing.
double similarity_of(const StreamOptions& options, Features a, Features b);

// The minimum of a similarity to the leader.
double min_similarity(const StreamOptions& options);

// What a similarity is worth after a time between two documents (De Francisci Morales, Gionis,
// Streaming similarity self-join, 2016).
double decayed(const StreamOptions& options, double similarity, uint64_t ms);

// The longest time after which a similarity of 1 is still worth the minimum, in milliseconds.
// REQUIRES: options.half_life_ms > 0.
int64_t horizon_ms(const StreamOptions& options);

// On how many pages of a stream each word stands, and the bags of words by that.

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
