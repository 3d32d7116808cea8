// Words to terms: stop words out, stems in (docs/algorithms/words.md). Pure.
#pragma once

#include <memory>
#include <string_view>

#include "text/words/language.h"

namespace kith::text {

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

}  // namespace kith::text
