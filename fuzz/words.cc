// Any bytes to words, terms and a language: words come in order and within their bounds, stems
// are never empty.
#include "text/words.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "text/language.h"
#include "text/terms.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using kith::text::WordSplitter;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static WordSplitter splitter;
  static kith::text::Stemmer stemmer;

  const auto language = kith::text::detect_language(text.substr(0, 2), text);
  splitter.reset(text);
  std::string_view word;
  uint32_t offset = 0;
  uint64_t next = 0;
  while (splitter.next(word, offset)) {
    KITH_CHECK(!word.empty() && word.size() <= WordSplitter::max_word_bytes);
    KITH_CHECK(offset >= next && offset < size);
    next = uint64_t{offset} + 1;
    if (kith::text::is_stop_word(language, word)) continue;
    KITH_CHECK(!stemmer.stem(language, word).empty());
  }
  return 0;
}
