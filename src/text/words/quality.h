// How much sound text a text holds: which of two copies of nearly the same text is the better one.
#pragma once

#include <cstdint>
#include <string_view>

namespace kith::text {

// What a text holds.
//
// A text is cut into pieces at line ends and behind full stops, and a piece into words at white
// space. Sources: Rae et al., Scaling Language Models (2021), appendix A.1, table A1 ("Gopher");
// Raffel et al., Exploring the Limits of Transfer Learning (2020), section 2.2 ("C4").
struct TextQuality {
  // Words that are words, and their letters: with a letter (Gopher), without a digit between
  // letters, no link, of at most 40 letters where blanks are between words, and not damaged; in
  // pieces that stand for the first time and are no program text and no filler: one with a curly
  // bracket, "javascript" or "lorem ipsum" is (C4).
  int64_t words = 0;
  int64_t letters = 0;
  int64_t others = 0;    // code points of all other words in pieces that stand for the first time
  int64_t repeated = 0;  // pieces of 10 bytes or more that have stood before (Gopher)
  // Words with U+FFFD or control characters, with UTF-8 that was read as windows-1252 or
  // windows-1251, with a question mark between letters, of question marks alone, with letters of
  // Latin and Cyrillic, with a tag or entity of HTML; and single letters that follow each other.
  int64_t damaged = 0;
  int64_t symbols = 0;   // words without a letter or digit, but for dashes and quotes (Gopher)
  bool is_cut = false;   // the end is an ellipsis or "read more" (Gopher: lines that end in one)
  bool is_open = false;  // the end is no end of a sentence (C4: lines without a punctuation mark)

  // letters + words + others / 10 - repeated - damaged - symbols, less 20 if it is cut, else less 5
  // if it is open; in tenths. What is left out of a text makes it less, and so does what is done to
  // a part of it: texts of different content are not meant to be compared by it.
  int64_t score() const;
};

// Of valid UTF-8. Linear time; 8 bytes a piece. Thread-safe.
TextQuality text_quality(std::string_view text);

}  // namespace kith::text
