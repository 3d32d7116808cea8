// Terms as 32-bit numbers, and how large a text may be.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "kith/status.h"

#include "text/words/language.h"

namespace kith::text {

// How large a text may be: places in it are numbers of 32 bits.

// An error of kind usage for a text of 4 GiB or more; it names the text by its number, if it has
// one.
inline Status check_size(std::string_view text, std::optional<size_t> number = {}) {
  if (text.size() <= UINT32_MAX) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("{} is {} bytes long; split it into parts below 4 GiB",
                           number ? fmt::format("text {}", *number) : "the text", text.size())};
}

// Words to terms: stop words out, stems in (docs/algorithms/words.md). Pure.

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
