// The stop lists of all languages in one table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/words/language.h"

namespace kith::text {

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
