// Text to tokens: what shingles are made of (docs/algorithms/near-duplicates.md). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace kith::text {

// The words of a text as it stands: runs of bytes between ASCII white space, of any length. The
// same shape as WordSplitter (text/words/words.h). One instance per worker; not thread-safe.
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
  // Words as WordSplitter finds them (letters only, also next to digits; lower case; unspaced
  // scripts segmented by ICU; neither stems nor stop words are touched), and characters of these
  // words, with a blank between two words. Without it words of BlankSplitter, and the code points
  // as they stand; a byte that is no UTF-8 is then a character of its own.
  bool normalize = true;
  uint64_t seed = 0x746f6b656e;
};

// A token as a hash of 64 well-mixed bits, and the byte offset in the text where it begins.
struct TokenPlaces {
  std::span<uint64_t> hashes;
  std::span<uint32_t> offsets;  // of the same size
};

// The tokens of a text as hashes, block by block, so that neither an allocation nor a call
// stands behind a single token. Equal tokens have equal hashes under the same options; two
// different ones share a hash with a probability of 2^-64. The hashes are fixed for ever. One
// instance per worker; not thread-safe.
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
