#include "jobs/passages/units.h"

#include <span>

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
  constexpr size_t block = 512;
  reader_->reset(unit);
  size_t size = 0;
  for (size_t count = block; count == block; size += count) {
    if (tokens_.size() < size + block) {
      tokens_.resize(std::max(size + block, tokens_.size() * 2));
      offsets_.resize(block);
    }
    count = reader_->read({std::span(tokens_).subspan(size, block), offsets_});
  }
  if (size == 0 || size < min_tokens_) return false;
  const auto bytes = std::as_bytes(std::span<const uint64_t>(tokens_).first(size));
  const Key128 hash = hash128({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  key_ = {hash.high, hash.high, hash.low};
  return true;
}

PassageUnits::PassageUnits(const PassageOptions& options) {
  const text::TokenOptions tokens = token_options(options);
  const uint32_t min_tokens = min_tokens_of(options);
  if (options.unit == PassageUnit::span) {
    width_ = min_tokens;
    reader_ = text::make_token_reader(tokens);
    spans_ = std::make_unique<SpanWindows>(min_tokens, tokens);
  } else {
    lines_ = std::make_unique<LineUnits>(options.unit, min_tokens, tokens);
  }
}

std::vector<ByteRange> PassageUnits::find(std::string_view text,
                                          const std::vector<ElementRange>& ranges) {
  return spans_ ? find_tokens(text, ranges) : find_lines(text, ranges);
}

std::vector<ByteRange> PassageUnits::find_tokens(std::string_view text,
                                                 const std::vector<ElementRange>& ranges) {
  constexpr size_t block = 512;
  std::array<uint64_t, block> hashes;
  std::array<uint32_t, block> offsets;
  std::vector<ByteRange> found(ranges.size(), ByteRange{text.size(), text.size()});
  reader_->reset(text);
  size_t next_begin = 0;
  size_t next_end = 0;
  uint64_t first = 0;  // token of the block
  for (size_t count = block; count == block && next_end < ranges.size(); first += count) {
    count = reader_->read({hashes, offsets});
    const auto is_here = [&](uint64_t token) { return token - first < count; };
    while (next_begin < ranges.size() && is_here(ranges[next_begin].begin)) {
      found[next_begin].begin = offsets[ranges[next_begin].begin - first];
      ++next_begin;
    }
    while (next_end < ranges.size() && is_here(ranges[next_end].end)) {
      found[next_end].end = offsets[ranges[next_end].end - first];
      ++next_end;
    }
  }
  return found;
}

std::vector<ByteRange> PassageUnits::find_lines(std::string_view text,
                                                const std::vector<ElementRange>& ranges) {
  std::vector<ByteRange> found;
  uint64_t number = 0;
  lines_->read(text, [&](const PassageKey&, const ByteRange& place) {
    if (found.size() < ranges.size() && ranges[found.size()].begin == number) {
      found.push_back(place);
    }
    ++number;
  });
  return found;
}

}  // namespace kith::jobs
