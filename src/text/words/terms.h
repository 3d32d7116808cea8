// Words to terms: stop words out, stems in (docs/algorithms/words.md). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>
#include <fmt/format.h>

#include "kith/status.h"

#include "text/words/language.h"
#include "text/words/words.h"

namespace kith::text {

// Stop words that users name, beside those of languages.

// Knows all forms of some words, by their stems. Immutable after its construction, and thread-safe
// then.
class OwnStopWords {
 public:
  OwnStopWords() = default;
  // Texts of one word or several, split and lower-cased as pages are. Which language they are of is
  // not known: they are words of every language. Takes microseconds a word.
  explicit OwnStopWords(std::span<const std::string> words);

  // Whether a word of a page in `language` with this stem is left out.
  bool has_stem(Language language, std::string_view stem) const {
    const Stems& stems = stems_[static_cast<size_t>(language)];
    return !stems.empty() && stems.contains(stem);
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const;
  };
  using Stems = boost::unordered_flat_set<std::string, Hash, std::equal_to<>>;
  std::array<Stems, static_cast<size_t>(Language::other) + 1> stems_;  // by language
};

// The stop lists of all languages in one table.

// The stop words of a language, each followed by a blank. No word stands in both lists.
struct StopList {
  Language language;
  std::string_view telling;  // they tell the language of a page; none without a stemmer
  std::string_view further;  // they are only left out of bags
};

// Every language but `other` has one: `telling` is from stopwords/, else from Lingua::StopWords,
// `further` from stopwords-iso; generated at build time.
const std::vector<StopList>& stop_lists();

// The languages among whose telling words `word` (lower-cased, without apostrophes) stands: bit i
// is the language of value i. Thread-safe.
uint32_t languages_of_stop_word(std::string_view word);

// REQUIRES: the language has a stemmer.
constexpr uint32_t language_bit(Language language) {
  return uint32_t{1} << static_cast<unsigned>(language);
}

// How large a text may be: places in it are numbers of 32 bits.

// An error of kind usage for a text of 4 GiB or more; it names the text by its number, if it has
// one.
inline Status check_size(std::string_view text, std::optional<size_t> number = {}) {
  if (text.size() <= UINT32_MAX) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("{} is {} bytes long; split it into parts below 4 GiB",
                           number ? fmt::format("text {}", *number) : "the text", text.size())};
}

// True for a word, lower-cased and without apostrophes, that carries no topic in `language`.
// So are, in every language, words with fewer letters than a topic has in their script: three in
// Latin, Greek, Cyrillic, Armenian and Georgian, two in Hebrew, Arabic and Syriac. Thread-safe.
bool is_stop_word(Language language, std::string_view word);

// Stems by the Snowball stemmer of each language, `porter` for English as in the paper. One
// instance per worker; not thread-safe. Stemmers are made when first asked for.
class Stemmer {
 public:
  Stemmer();
  ~Stemmer();
  Stemmer(Stemmer&&) noexcept;
  Stemmer& operator=(Stemmer&&) noexcept;

  // The stem of a lower-cased word; valid until the next call. Never empty.
  std::string_view stem(Language language, std::string_view word);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

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

}  // namespace kith::text
