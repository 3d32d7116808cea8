// Text to words (docs/algorithms/words.md; the paper, section 2.1). Pure.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kith::text {

// One instance per worker; not thread-safe.
class WordSplitter {
 public:
  // Code points of a word, as it is given: lower-cased and composed.
  static constexpr size_t max_word_letters = 64;
  // So many bytes may be read from word.data() on, however short the word is: what is behind
  // the word means nothing, but callers need no branch on its size.
  static constexpr size_t readable_bytes = 16;

  WordSplitter();
  ~WordSplitter();
  WordSplitter(WordSplitter&&) noexcept;
  WordSplitter& operator=(WordSplitter&&) noexcept;

  // Starts on `text`, valid UTF-8 shorter than 4 GiB, which must outlive the splitting. Bytes
  // that are no UTF-8 are safe: they separate.
  void reset(std::string_view text);

  // The next word, lower-cased, and its byte offset in the text. False at the end. A word is
  // a run of letters (with their combining marks) in NFKC; an apostrophe or an invisible
  // character (soft hyphen, ZWJ, ZWNJ, marks of direction) between letters is removed ("don't" is
  // dont), but the apostrophe of an elision separates ("l'eau" is l, eau); everything else that is
  // no letter separates. Runs of scripts without blanks (CJK, Thai, Lao, Khmer, Myanmar) are
  // segmented by ICU, in NFC. Passed over are words longer than max_word_letters, which are
  // counted, and letters next to a digit (Unicode Nd), such as those of "4th", "mp3" and "x86":
  // they are read as part of the number. But not in scripts without blanks, where neighbours need
  // not belong together. The view is valid until the next call.
  bool next(std::string_view& word, uint32_t& offset);

  // The words that were passed over for their length since the last reset().
  uint64_t long_words() const { return long_words_; }

 private:
  static constexpr size_t block_bytes = 64;
  struct Impl;

  void load_block(size_t begin);
  void consume_to(size_t end);
  bool next_general(size_t begin, std::string_view& word, uint32_t& offset);
  bool is_within_limit(std::string_view word);

  std::string_view text_;
  // The block of text being read, as bit masks: bit i tells about the byte block_begin_ + i.
  size_t block_begin_ = 0;
  uint64_t letters_ = 0;  // ASCII letters
  // Where words are to be read the general way: bytes outside ASCII, letters after a digit or an
  // apostrophe.
  uint64_t general_ = 0;
  uint64_t connectors_ = 0;  // and where words end that are: outside ASCII, apostrophes, digits
  // Where words may begin that were not read yet: bytes outside ASCII, the first letter of a run.
  uint64_t starts_ = 0;
  bool in_segments_ = false;  // inside a run that ICU segments
  uint64_t long_words_ = 0;
  std::array<char, block_bytes + readable_bytes> lower_ =
      {};  // the letters of the block in lower case
  std::unique_ptr<Impl> impl_;
};

// English text goes word by word through this function without leaving it: words are cut out
// of 64 bytes at a time by their masks.
inline bool WordSplitter::next(std::string_view& word, uint32_t& offset) {
  for (;;) {
    if (starts_ == 0 && !in_segments_) {
      if (text_.size() - block_begin_ <= block_bytes) return false;
      load_block(block_begin_ + block_bytes);
      continue;
    }
    const auto first = static_cast<size_t>(std::countr_zero(starts_));
    if (in_segments_ || (general_ >> first & 1) != 0) {
      if (next_general(block_begin_ + first, word, offset)) return true;
      continue;
    }
    const size_t end = first + static_cast<size_t>(std::countr_one(letters_ >> first));
    if (end == block_bytes && first > 0) {  // cut by the end of the block: start one here
      load_block(block_begin_ + first);
      continue;
    }
    if (end == block_bytes || (connectors_ >> end & 1) != 0) {
      if (next_general(block_begin_ + first, word, offset)) return true;
      continue;
    }
    starts_ &= starts_ - 1;
    word = std::string_view(lower_.data() + first, end - first);
    offset = static_cast<uint32_t>(block_begin_ + first);
    return true;
  }
}

}  // namespace kith::text
