#include "text/words/tokens.h"

#include <utility>

#include "base/ascii.h"
#include "text/words/letters.h"
#include "text/words/token_hash.h"
#include "text/words/words.h"

namespace kith::text {
namespace {

constexpr uint64_t blank = ' ';
// Bytes that are no UTF-8 get numbers behind the last code point.
constexpr uint64_t first_invalid = 0x110000;

class CleanWords final : public TokenReader {
 public:
  explicit CleanWords(uint64_t seed) : hash_(seed) {}

  void reset(std::string_view text) override { splitter_.reset(text); }

  size_t read(TokenPlaces places) override {
    static_assert(TokenHash::in_registers <= WordSplitter::readable_bytes);
    const size_t room = places.hashes.size();
    size_t count = 0;
    std::string_view word;
    while (count < room && splitter_.next(word, places.offsets[count])) {
      places.hashes[count++] = hash_.of_readable(word);
    }
    return count;
  }

 private:
  TokenHash hash_;
  WordSplitter splitter_{LettersAtDigits::word};
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

class CleanCharacters final : public TokenReader {
 public:
  explicit CleanCharacters(uint64_t seed) : hash_(seed) {}

  void reset(std::string_view text) override {
    splitter_.reset(text);
    word_ = {};
    at_ = 0;
    is_first_ = true;
  }

  size_t read(TokenPlaces places) override {
    const size_t room = places.hashes.size();
    size_t count = 0;
    while (count < room) {
      if (at_ == word_.size()) {
        at_ = 0;
        if (!splitter_.next(word_, offset_)) {
          word_ = {};
          break;
        }
        if (!std::exchange(is_first_, false)) {
          places.offsets[count] = offset_;
          places.hashes[count++] = hash_.of_character(blank);
          continue;
        }
      }
      const CodePoint c = decode_utf8(word_, at_);
      places.offsets[count] = offset_;
      places.hashes[count++] = hash_.of_character(c.value);
      at_ += c.size;
    }
    return count;
  }

 private:
  TokenHash hash_;
  WordSplitter splitter_{LettersAtDigits::word};
  std::string_view word_;  // being read, from at_ on
  size_t at_ = 0;
  uint32_t offset_ = 0;
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
    if (options.normalize) return std::make_unique<CleanWords>(options.seed);
    return std::make_unique<RawWords>(options.seed);
  }
  if (options.normalize) return std::make_unique<CleanCharacters>(options.seed);
  return std::make_unique<RawCharacters>(options.seed);
}

}  // namespace kith::text
