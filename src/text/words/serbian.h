// Serbian beside its relatives in the Latin script: they share their stop words.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kith::text {

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
