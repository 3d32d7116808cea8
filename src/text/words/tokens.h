// Text to tokens: what shingles are made of (docs/algorithms/near-duplicates.md). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "text/words/token_splitter.h"

namespace kith::text {

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
