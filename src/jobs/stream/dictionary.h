// Words of a stream as small numbers, and how often they are counted.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"

#include "bags/tables.h"
#include "bags/term_counter.h"
#include "jobs/page_bagger.h"
#include "text/words/language.h"
#include "text/words/stems.h"

namespace kith::jobs {

// The words that some summary counts, as small numbers.

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

// The words of a page by 32 bits of a hash, where no run gives them numbers.

// One worker's; not thread-safe.
class WordCounts {
 public:
  // Replaces `counts` by the stems of title and text without stop words: the term in the upper
  // half, how often it occurs in the lower one, ascending. language: a tag; empty: detected.
  void make(std::string_view title, std::string_view text, std::string_view language,
            std::vector<uint64_t>& counts);

 private:
  void count(text::Language language, std::string_view text);

  text::StemReader stems_;
  bags::TermCounter counter_;
  std::vector<bags::TermCount> counts_;
};

// The words of a run, by which a stream makes bags.

// Immutable, thread-safe.
class WordDictionary {
 public:
  // Errors: of a folder that holds no finished run, and of kind usage of a run of anchor bags,
  // which say nothing about the words of pages.
  static Result<std::unique_ptr<const WordDictionary>> open(const std::string& directory);

  const RunDictionary& words() const { return *words_; }
  // The same text for the same words with the same weights, and only for these but for 2^-64.
  const std::string& key() const { return key_; }

 private:
  bags::TermTable terms_;
  std::optional<RunDictionary> words_;  // views of terms_
  std::string key_;
};

}  // namespace kith::jobs
