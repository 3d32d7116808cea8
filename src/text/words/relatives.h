// Languages without a stemmer that are easily taken for one that has one.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/words/language.h"

namespace kith::text {

// Whether the language of this primary tag ("sco") is so close to `language` that its texts have
// many of the stop words. Thread-safe.
bool is_relative(std::string_view tag, Language language);

// Counts the words of a text by the relatives of one language. A marker is a frequent word of a
// relative that the language lacks. Not thread-safe.
class RelativeCounter {
 public:
  explicit RelativeCounter(Language language) : language_(language) {}

  // `word` is in lower case.
  void add(std::string_view word);
  // Whether the text is rather in a relative: two markers, and every twenty-fifth word at least.
  bool is_relative() const;

 private:
  static constexpr uint32_t max_relatives = 64;

  Language language_;
  uint32_t words_ = 0;
  uint32_t markers_[max_relatives] = {};
};

}  // namespace kith::text
