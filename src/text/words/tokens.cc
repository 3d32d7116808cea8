#include "text/words/tokens.h"

#include <utility>

#include <unicode/uchar.h>

#include "base/bytes.h"
#include "text/words/shingles.h"

namespace kith::text {
namespace {

constexpr uint64_t blank = ' ';
// Bytes that are no UTF-8 get numbers behind the last code point.
constexpr uint64_t first_invalid = 0x110000;

bool is_blank(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (!u_isUWhiteSpace(static_cast<UChar32>(c.value))) return false;
    at += c.size;
  }
  return true;
}

// What the readers of normalized text share: what a text without a token is.
class CleanReader : public TokenReader {
 public:
  explicit CleanReader(const TokenOptions& options)
      : hash_(options.seed), splitter_(options.numbers) {}

  void reset(std::string_view text) final {
    text_ = text;
    is_without_token_ = true;
    splitter_.reset(text);
    begin();
  }

  size_t read(TokenPlaces places) final {
    const size_t count = read_tokens(places);
    if (count > 0) {
      is_without_token_ = false;
    } else if (std::exchange(is_without_token_, false) && !is_blank(text_)) {
      places.offsets[0] = 0;
      places.hashes[0] = hash_.of_bytes(text_);
      return 1;
    }
    return count;
  }

 protected:
  virtual void begin() = 0;
  virtual size_t read_tokens(TokenPlaces places) = 0;

  const TokenHash& hash() const { return hash_; }
  TokenSplitter& splitter() { return splitter_; }

 private:
  TokenHash hash_;
  TokenSplitter splitter_;
  std::string_view text_;
  bool is_without_token_ = true;
};

class CleanWords final : public CleanReader {
 public:
  using CleanReader::CleanReader;

 private:
  void begin() override {}

  size_t read_tokens(TokenPlaces places) override {
    static_assert(TokenHash::in_registers <= TokenSplitter::readable_bytes);
    const size_t room = places.hashes.size();
    size_t count = 0;
    Token token;
    while (count < room && splitter().next(token)) {
      places.offsets[count] = token.offset;
      const uint64_t hashed = hash().of_readable(token.text);
      places.hashes[count++] = token.continues ? of_pieces(hashed) : hashed;
    }
    return count;
  }

  // Of a token whose first piece was hashed.
  uint64_t of_pieces(uint64_t hashed) {
    Token piece;
    while (splitter().next(piece)) {
      hashed = hash().chain(hashed, piece.text);
      if (!piece.continues) break;
    }
    return hashed;
  }
};

class RawWords final : public TokenReader {
 public:
  explicit RawWords(uint64_t seed) : hash_(seed) {}

  void reset(std::string_view text) override {
    text_ = text;
    splitter_.reset(text);
  }

  size_t read(TokenPlaces places) override {
    const size_t room = places.hashes.size();
    size_t count = 0;
    std::string_view word;
    while (count < room && splitter_.next(word, places.offsets[count])) {
      const bool readable = text_.size() - places.offsets[count] >= TokenHash::in_registers;
      places.hashes[count++] = readable ? hash_.of_readable(word) : hash_(word);
    }
    return count;
  }

 private:
  TokenHash hash_;
  std::string_view text_;
  BlankSplitter splitter_;
};

class CleanCharacters final : public CleanReader {
 public:
  using CleanReader::CleanReader;

 private:
  void begin() override {
    token_ = {};
    at_ = 0;
    is_first_ = true;
  }

  size_t read_tokens(TokenPlaces places) override {
    const size_t room = places.hashes.size();
    size_t count = 0;
    while (count < room) {
      if (at_ == token_.text.size()) {
        const Token before = token_;
        at_ = 0;
        if (!splitter().next(token_)) {
          token_ = {};
          break;
        }
        if (before.continues) token_.offset = before.offset;
        const bool is_apart = !before.continues && !(before.unspaced && token_.unspaced);
        if (!std::exchange(is_first_, false) && is_apart) {
          places.offsets[count] = token_.offset;
          places.hashes[count++] = hash().of_character(blank);
          continue;
        }
      }
      const CodePoint c = decode_utf8(token_.text, at_);
      places.offsets[count] = token_.offset;
      places.hashes[count++] = hash().of_character(c.value);
      at_ += c.size;
    }
    return count;
  }

  Token token_;  // being read, from at_ on
  size_t at_ = 0;
  bool is_first_ = true;
};

class RawCharacters final : public TokenReader {
 public:
  explicit RawCharacters(uint64_t seed) : hash_(seed) {}

  void reset(std::string_view text) override {
    text_ = text;
    at_ = 0;
  }

  size_t read(TokenPlaces places) override {
    const size_t room = places.hashes.size();
    size_t count = 0;
    for (; count < room && at_ < text_.size(); ++count) {
      const CodePoint c = decode_utf8(text_, at_);
      const bool is_invalid = c.value == 0xfffd && c.size == 1;
      const uint64_t code =
          is_invalid ? first_invalid + static_cast<uint8_t>(text_[at_]) : uint64_t{c.value};
      places.offsets[count] = static_cast<uint32_t>(at_);
      places.hashes[count] = hash_.of_character(code);
      at_ += c.size;
    }
    return count;
  }

 private:
  TokenHash hash_;
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

void BlankSplitter::reset(std::string_view text) {
  text_ = text;
  at_ = 0;
}

bool BlankSplitter::next(std::string_view& word, uint32_t& offset) {
  while (at_ < text_.size() && is_ascii_blank(text_[at_])) ++at_;
  const size_t begin = at_;
  while (at_ < text_.size() && !is_ascii_blank(text_[at_])) ++at_;
  word = text_.substr(begin, at_ - begin);
  offset = static_cast<uint32_t>(begin);
  return !word.empty();
}

std::unique_ptr<TokenReader> make_token_reader(const TokenOptions& options) {
  if (options.unit == TokenUnit::words) {
    if (options.normalize) return std::make_unique<CleanWords>(options);
    return std::make_unique<RawWords>(options.seed);
  }
  if (options.normalize) return std::make_unique<CleanCharacters>(options);
  return std::make_unique<RawCharacters>(options.seed);
}

}  // namespace kith::text
