// Stop words of languages, and those that users name.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "text/words/language.h"

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

}  // namespace kith::text
