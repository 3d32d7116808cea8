// Text to words (DESIGN.md section 2, "Words"; the paper, section 2.1). Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kith::text {

// One instance per worker; not thread-safe.
class WordSplitter {
 public:
  WordSplitter();
  ~WordSplitter();
  WordSplitter(WordSplitter&&) noexcept;
  WordSplitter& operator=(WordSplitter&&) noexcept;

  // Starts on `text`, valid UTF-8, which must outlive the splitting.
  void reset(std::string_view text);

  // The next word, lower-cased, and its byte offset in the text. False at the end. A word is
  // a run of letters (with their combining marks); an apostrophe between letters is removed,
  // everything else that is no letter separates. Runs of scripts without blanks (CJK, Thai,
  // Lao, Khmer) are segmented by ICU. Runs longer than 64 bytes are no words: they are passed
  // over. The view is valid until the next call.
  bool next(std::string_view& word, uint32_t& offset);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kith::text
