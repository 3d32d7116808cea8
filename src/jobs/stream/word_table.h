// The words that some summary counts, as small numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

namespace kith::jobs {

// A word lives as long as somebody holds it; then its number is used again. Not thread-safe while
// it changes.
class WordTable {
 public:
  struct Word {
    std::string form;  // as the page spelt it that brought it
    uint64_t stem = 0;
    uint32_t holders = 0;  // 0: the number is free
  };

  // Holds a word, which may be new. REQUIRES: fewer than 2^32 words.
  uint32_t hold(uint64_t stem, std::string_view form);
  // REQUIRES: a word that is held.
  void hold(uint32_t word) { ++words_[word].holders; }
  void release(uint32_t word);

  const Word& operator[](uint32_t word) const { return words_[word]; }
  // Numbers are below it; some may be free.
  uint32_t numbers() const { return static_cast<uint32_t>(words_.size()); }
  uint64_t bytes() const;

 private:
  std::deque<Word> words_;
  std::vector<uint32_t> free_;
  boost::unordered_flat_map<uint64_t, uint32_t> by_stem_;
  uint64_t form_bytes_ = 0;
};

}  // namespace kith::jobs
