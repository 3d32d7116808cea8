// The stop lists of all languages in one table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/words/language.h"

namespace kith::text {

// The stop words of a language, each followed by a blank.
struct StopList {
  Language language;
  std::string_view words;
};

// Every language but `other` has one: from stopwords/, else from Lingua::StopWords; generated at
// build time.
const std::vector<StopList>& stop_lists();

// The languages in whose list `word` (lower-cased, without apostrophes) stands: bit i is the
// language of value i. Thread-safe.
uint32_t languages_of_stop_word(std::string_view word);

constexpr uint32_t language_bit(Language language) {
  return uint32_t{1} << static_cast<unsigned>(language);
}

}  // namespace kith::text
