// Text to the tokens of near-duplicates, which shingles are made of
// (docs/algorithms/near-duplicates.md, "Tokens"). Pure.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kith/shingles.h"

#include "text/words/letters.h"

namespace kith::text {

// A token, or a piece of one that is longer than a piece may be.
struct Token {
  std::string_view text;   // case-folded, in NFKC
  uint32_t offset = 0;     // where it begins in the text
  bool continues = false;  // more of the same token follows
  bool unspaced = false;   // of a script without blanks
};

// A token is a run of letters, marks and digits; or one letter of a script without blanks, or one
// symbol (Sm, Sc, So), with its marks. Apostrophes between letters vanish, everything else
// separates. All of the text in NFKC_Casefold, but for U+200B, which vanishes only before letters
// and digits that are joined over it (letters.h). One instance per worker; not thread-safe.
class TokenSplitter {
 public:
  // So many bytes may be read from Token::text on, however short it is: callers need no branch on
  // its size.
  static constexpr size_t readable_bytes = 16;
  static constexpr size_t max_piece_bytes = 1024;

  explicit TokenSplitter(Numbers numbers) : numbers_(numbers) {
    piece_.reserve(max_piece_bytes + readable_bytes);
  }

  // Starts on `text`, UTF-8 shorter than 4 GiB, which must outlive the splitting. A byte that is no
  // UTF-8 counts as U+FFFD.
  void reset(std::string_view text);
  // The next token, or piece of one; false at the end. Its text is valid until the next call.
  bool next(Token& token);

 private:
  static constexpr size_t block_bytes = 64;

  void load_block(size_t begin);
  void consume_to(size_t end);
  void give_back();
  bool next_folded(size_t begin, Token& token);
  enum class Plain : uint8_t { token, nothing, other };
  Plain read_plain(size_t begin, Token& token);
  Plain read_plain_run(size_t begin, Token& token);
  bool finish(Token& token, bool continues);
  bool read_run(Token& token);
  bool read_single(Token& token);
  bool joins_letters();
  bool passes_line_breaks();
  TokenKind kind_of(const FoldedText::Item& item) const;

  const Numbers numbers_;
  std::string_view text_;
  // The block of text being read, as bit masks: bit i tells about the byte block_begin_ + i.
  size_t block_begin_ = 0;
  uint64_t words_ = 0;    // ASCII letters and, where they are kept, digits
  uint64_t folded_ = 0;   // bytes that are read by FoldedText: outside ASCII, digits to be masked
  uint64_t connect_ = 0;  // these and apostrophes: a word that they end is read by FoldedText
  uint64_t starts_ = 0;   // where tokens may begin that were not read yet
  std::array<char, block_bytes + readable_bytes> lower_ = {};

  const TokenLetters& letters_ = TokenLetters::instance();
  FoldedText folder_;
  bool in_folded_ = false;                   // folder_ has begun what is not read yet
  bool in_run_ = false;                      // inside a token whose piece was given
  TokenKind before_ = TokenKind::separator;  // of the run: what was read last
  std::string piece_;
};

// ASCII text goes token by token through this function without leaving it: tokens are cut out of 64
// bytes at a time by their masks.
inline bool TokenSplitter::next(Token& token) {
  for (;;) {
    if (starts_ == 0 && !in_folded_) {
      if (text_.size() - block_begin_ <= block_bytes) return false;
      load_block(block_begin_ + block_bytes);
      continue;
    }
    const auto first = static_cast<size_t>(std::countr_zero(starts_));
    if (in_folded_ || (folded_ >> first & 1) != 0) {
      if (next_folded(block_begin_ + first, token)) return true;
      continue;
    }
    const bool is_word = (words_ >> first & 1) != 0;
    const size_t end =
        is_word ? first + static_cast<size_t>(std::countr_one(words_ >> first)) : first + 1;
    if (end == block_bytes && first > 0) {  // perhaps cut by the end of the block: start one here
      load_block(block_begin_ + first);
      continue;
    }
    if (end == block_bytes || (connect_ >> end & 1) != 0) {
      if (next_folded(block_begin_ + first, token)) return true;
      continue;
    }
    starts_ &= starts_ - 1;
    token = {std::string_view(lower_.data() + first, end - first),
             static_cast<uint32_t>(block_begin_ + first)};
    return true;
  }
}

// The definition of tokens. Runs of another one cannot be compared with those of this one.
inline constexpr uint32_t tokens_version = 2;

// The words of a text as it stands: runs of bytes between ASCII white space, of any length. One
// instance per worker; not thread-safe.
class BlankSplitter {
 public:
  // Starts on `text`, shorter than 4 GiB, which must outlive the splitting and the words.
  void reset(std::string_view text);
  // The next word, a view into the text, and its byte offset. False at the end.
  bool next(std::string_view& word, uint32_t& offset);

 private:
  std::string_view text_;
  size_t at_ = 0;
};

enum class TokenUnit : uint8_t {
  words,
  characters,  // code points
};

struct TokenOptions {
  TokenUnit unit = TokenUnit::words;
  // Words are the tokens of TokenSplitter, and characters those of these tokens, with a blank
  // between two tokens unless both are of scripts without blanks. Without it words of
  // BlankSplitter, and the code points as they stand; a byte that is no UTF-8 is then a character
  // of its own.
  bool normalize = true;
  Numbers numbers = Numbers::keep;  // with normalize
  uint64_t seed = 0x746f6b656e;
};

// A token as a hash of 64 well-mixed bits, and the byte offset in the text where it begins.
struct TokenPlaces {
  std::span<uint64_t> hashes;
  std::span<uint32_t> offsets;  // of the same size
};

// The tokens of a text as hashes, block by block, so that neither an allocation nor a call
// stands behind a single token. A normalized text without a token, but with more than white space
// (Unicode White_Space), is one token: its bytes as they stand. Equal tokens have equal hashes
// under the same options; two different ones share a hash with a probability of 2^-64. The hashes
// are fixed for ever. One instance per worker; not thread-safe.
class TokenReader {
 public:
  virtual ~TokenReader() = default;
  // Starts on `text`, shorter than 4 GiB, which must outlive the reading.
  virtual void reset(std::string_view text) = 0;
  // Writes the next tokens and returns how many; fewer than there is room for, and then none,
  // at the end of the text.
  virtual size_t read(TokenPlaces places) = 0;
};

std::unique_ptr<TokenReader> make_token_reader(const TokenOptions& options);

}  // namespace kith::text
