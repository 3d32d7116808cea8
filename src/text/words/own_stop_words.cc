#include "text/words/own_stop_words.h"

#include "base/hash.h"
#include "text/words/language.h"
#include "text/words/terms.h"
#include "text/words/words.h"

namespace kith::text {

size_t OwnStopWords::Hash::operator()(std::string_view text) const {
  return hash64(text);
}

OwnStopWords::OwnStopWords(std::span<const std::string> words) {
  Stemmer stemmer;
  WordSplitter splitter;
  for (const std::string& given : words) {
    splitter.reset(given);
    std::string_view word;
    uint32_t offset = 0;
    while (splitter.next(word, offset)) {
      for (size_t language = 0; language < stems_.size(); ++language) {
        stems_[language].emplace(stemmer.stem(static_cast<Language>(language), word));
      }
    }
  }
}

}  // namespace kith::text
