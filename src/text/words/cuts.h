// Where a text may be cut: between words, or between sentences. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kith::text {

// A part of a text, in bytes.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Makes ranges of tokens smaller, so that they end between words; what is left of none of them is
// dropped. One instance per worker; not thread-safe.
class TextCuts {
 public:
  // sentences: between sentences.
  explicit TextCuts(bool sentences);
  ~TextCuts();
  TextCuts(TextCuts&&) noexcept;
  TextCuts& operator=(TextCuts&&) noexcept = delete;

  // A word is what stands between white space; in scripts without blanks what ICU takes for one.
  // Punctuation goes with the word that it touches. A sentence is one by UAX #29. `ranges` ascend,
  // do not overlap, and begin and end where a token of the text begins, or at its end. Time is
  // linear in the text.
  std::vector<ByteRange> between_words(std::string_view text, const std::vector<ByteRange>& ranges);

 private:
  struct Breaks;

  ByteRange whole_words(std::string_view text, ByteRange range);
  ByteRange whole_sentences(std::string_view text, ByteRange range);
  bool is_word_break(std::string_view text, size_t at);

  const bool sentences_;
  std::unique_ptr<Breaks> words_;
  std::unique_ptr<Breaks> sentence_breaks_;
};

}  // namespace kith::text
