// Any bytes to words, terms and a language: words come in order and within their bounds, stems
// are never empty. The same bytes to tokens and shingles.
#include "text/words/words.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "text/words/language.h"
#include "text/words/shingles.h"
#include "text/words/terms.h"

namespace {

using kith::text::TokenUnit;

// Tokens of every kind come in order; shingles are no more than bytes, elements no more than these.
void use_tokens(std::string_view text) {
  for (const TokenUnit unit : {TokenUnit::words, TokenUnit::characters}) {
    for (const bool normalize : {false, true}) {
      kith::text::Shingler shingler(
          {.tokens = {.unit = unit, .normalize = normalize}, .width = 3, .bag = true});
      std::vector<uint64_t> shingles;
      std::vector<uint32_t> offsets;
      shingler.read(text, shingles, offsets);
      KITH_CHECK(std::ranges::is_sorted(offsets));
      KITH_CHECK(offsets.empty() || offsets.back() < text.size());
      KITH_CHECK(shingles.empty() == offsets.empty() && shingles.size() <= offsets.size());
      const size_t before = shingles.size();
      shingler.make_elements(shingles);
      KITH_CHECK(shingles.size() == before && std::ranges::is_sorted(shingles));
    }
  }
}

}  // namespace

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
    KITH_CHECK(!word.empty() && word.size() <= 4 * WordSplitter::max_word_letters);
    KITH_CHECK(offset >= next && offset < size);
    next = uint64_t{offset} + 1;
    if (kith::text::is_stop_word(language, word)) continue;
    KITH_CHECK(!stemmer.stem(language, word).empty());
  }
  use_tokens(text);
  return 0;
}
