// Stop words that users name, beside those of languages.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_set.hpp>

#include "text/words/language.h"

namespace kith::text {

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

}  // namespace kith::text
