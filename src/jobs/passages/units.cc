#include "jobs/passages/units.h"

#include "base/bytes.h"
#include "base/check.h"

namespace kith::jobs {
namespace {

text::TokenOptions token_options(const PassageOptions& options) {
  text::TokenOptions tokens;
  tokens.normalize = options.normalize;
  tokens.numbers = options.numbers;
  return tokens;
}

}  // namespace

SpanWindows::SpanWindows(uint32_t width, const text::TokenOptions& tokens)
    : half_((width + 1) / 2),
      hashes_(width - half_ + 1),
      reader_(text::make_token_reader(tokens)),
      last_tokens_(half_),
      last_hashes_(hashes_),
      least_from_(hashes_ + 1) {
  KITH_CHECK(width >= 1 && width <= max_width);
  for (size_t i = 0; i < half_; ++i) leaving_ *= base;
}

void SpanWindows::reset() {
  std::ranges::fill(last_tokens_, 0);
  std::ranges::fill(least_from_, std::numeric_limits<uint64_t>::max());
}

LineUnits::LineUnits(PassageUnit unit, uint32_t min_tokens, const text::TokenOptions& tokens)
    : unit_(unit), min_tokens_(min_tokens), reader_(text::make_token_reader(tokens)) {}

ByteRange LineUnits::next(std::string_view text, size_t at) const {
  const auto line_end = [&](size_t from) {
    const size_t end = text.find('\n', from);
    return end == std::string_view::npos ? text.size() : end + 1;
  };
  size_t end = line_end(at);
  if (unit_ == PassageUnit::line) return {at, end};
  const auto is_blank = [&](size_t begin, size_t behind) {
    return trim(text.substr(begin, behind - begin)).empty();
  };
  // Up to a blank line, and on to the next one that is none.
  bool has_blank = false;
  for (size_t begin = end; begin < text.size(); begin = end) {
    const size_t next = line_end(begin);
    const bool blank = is_blank(begin, next);
    if (has_blank && !blank) break;
    has_blank = has_blank || blank;
    end = next;
  }
  return {at, end};
}

bool LineUnits::make_key(std::string_view unit) {
  reader_->reset(unit);
  uint64_t size = 0;
  uint64_t key = 0;
  uint64_t check = golden;
  for (size_t count = block; count == block; size += count) {
    count = reader_->read({tokens_, offsets_});
    for (size_t i = 0; i < count; ++i) {
      key = mix64(key + tokens_[i]);
      check = mix64((check ^ tokens_[i]) * golden);
    }
  }
  key_ = {key, key, check};
  return size > 0 && size >= min_tokens_;
}

PassageUnits::PassageUnits(const PassageOptions& options) {
  const text::TokenOptions tokens = token_options(options);
  const uint32_t min_tokens = min_tokens_of(options);
  if (options.unit == PassageUnit::span) {
    width_ = min_tokens;
    spans_ = std::make_unique<SpanWindows>(min_tokens, tokens);
  } else {
    lines_ = std::make_unique<LineUnits>(options.unit, min_tokens, tokens);
  }
}

}  // namespace kith::jobs
