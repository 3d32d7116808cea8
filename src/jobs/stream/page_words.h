// The words of pages in a stream: numbers, counts, and those that a page says most often.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"
#include "kith/stream.h"

#include "bags/tables.h"
#include "bags/vocabulary/word_memo.h"
#include "bags/weights.h"
#include "jobs/page_bagger.h"
#include "jobs/stream/features.h"
#include "text/words/language.h"
#include "text/words/shingles.h"
#include "text/words/terms.h"
#include "text/words/words.h"

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

// The words that a page says most often: what themes are made of.
struct PageWord {
  uint64_t stem;          // hash64() of the stem
  std::string_view form;  // the word as the page spells it first, in lower case
};
using PageWords = std::span<const PageWord>;

// One worker's; not thread-safe. Needs some megabytes for words that it knows.
class PageWordReader {
 public:
  static constexpr size_t most = 16;  // words of a page

  PageWordReader();
  ~PageWordReader();

  // The stems that title and text have most often, without stop words (docs/algorithms/words.md);
  // of equal ones those that come first. A function of the page alone. Valid until the next call.
  // REQUIRES: texts below 4 GiB.
  PageWords read(const StreamPage& page);

 private:
  struct Memo;
  // What a word is, by its place in forms_ and stems_.
  struct Known {
    uint32_t form;
    uint32_t stem;
  };
  struct Count {
    uint32_t words = 0;  // of the page
    uint32_t form = 0;   // the first of them
  };

  void count(text::Language language, std::string_view text);
  void add(Known known);
  Known look_up(text::Language language, Memo& memo, const bags::WordMemo::Key& key);
  Known look_up_long(text::Language language, Memo& memo, std::string_view word);
  Known learn(text::Language language, std::string_view word);
  void choose();
  void forget_much();

  text::WordSplitter splitter_;
  text::Stemmer stemmer_;
  std::array<std::unique_ptr<Memo>, static_cast<size_t>(text::Language::other) + 1> memos_;
  std::vector<std::string> forms_;
  std::vector<uint64_t> stems_;  // hashes
  std::vector<Count> counts_;    // by stem
  boost::unordered_flat_map<uint64_t, uint32_t> stem_by_hash_;
  std::vector<bags::WordMemo::Key> keys_;  // of words that are to be counted
  std::vector<uint32_t> met_;              // stems of the page, in its order
  std::vector<uint32_t> chosen_;           // of these, in the order of read()
  std::vector<PageWord> words_;
};

// From a page to what it is compared by.

// One worker's; not thread-safe.
class FeatureMaker {
 public:
  // dictionary: that of the options, else null; it outlives this object. Where the options have one
  // no features can be made without it. REQUIRES: valid options.
  FeatureMaker(const StreamOptions& options, const WordDictionary* dictionary);

  // Valid until the next call, as long as what the page views. Errors of kind usage: elements that
  // do not ascend, or are not of this kind of stream.
  Result<Features> of_page(const StreamPage& page);

 private:
  Features of_text(std::string_view text);
  Result<Features> of_elements(std::span<const uint64_t> elements);
  Result<Features> of_words(const StreamPage& page);
  Features keep_fingerprint(uint64_t fingerprint);

  const StreamOptions options_;
  const WordDictionary* dictionary_;
  text::Shingler shingler_;
  WordCounts counts_;
  std::vector<uint64_t> elements_;
};

}  // namespace kith::jobs
