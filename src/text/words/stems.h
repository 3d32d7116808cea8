// From a text to its stems (docs/algorithms/words.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "text/words/language.h"
#include "text/words/terms.h"
#include "text/words/words.h"

namespace kith::text {

// Pages in other languages quote English, so that its stop words count in all of them.
inline bool is_stop_word_of_page(Language language, std::string_view word) {
  return is_stop_word(language, word) || is_stop_word(Language::english, word);
}

// One worker's; not thread-safe.
class StemReader {
 public:
  // Calls take(stem) for the words of a page's text in their order, but for stop words. A stem is
  // valid during the call.
  template <class Take>
  void read(Language language, std::string_view text, Take&& take) {
    std::string_view word;
    uint32_t offset = 0;
    splitter_.reset(text);
    while (splitter_.next(word, offset)) {
      if (!is_stop_word_of_page(language, word)) take(stemmer_.stem(language, word));
    }
  }

 private:
  WordSplitter splitter_;
  Stemmer stemmer_;
};

// Serbian beside its relatives in the Latin script: they share their stop words.

// Counts the words that Serbian does not share with Croatian, Bosnian, Montenegrin and Slovene: by
// their vowels (vreme, vrijeme) and as words of their own (tokom, tijekom). Not thread-safe.
class SerbianCounter {
 public:
  // `word` is in lower case, with its diacritics.
  void add(std::string_view word);
  // Whether the text is Serbian rather than in a relative; nothing where no word says so or says
  // otherwise.
  std::optional<bool> is_serbian() const;

 private:
  uint32_t of_serbian_ = 0;
  uint32_t of_relatives_ = 0;
};

}  // namespace kith::text
