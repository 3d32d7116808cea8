// The units of a text of which repeated ones are sought: windows of tokens, lines, paragraphs
// (docs/algorithms/passages.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "kith/passages.h"

#include "base/hash.h"
#include "text/words/cuts.h"
#include "text/words/tokens.h"

namespace kith::jobs {

// One unit. Equal units, of equal tokens in the same order, have equal values; of different ones
// key and check together differ but for a chance of about 2^-126.
struct PassageKey {
  uint64_t anchor;  // the least hash of the window (winnowing); of lines the key
  uint64_t key;
  uint64_t check;
};

// Windows of `width` tokens: each is made of two hashes of half as many, and the least hash of
// those inside it is its anchor. Memory does not depend on the text. One instance per worker; not
// thread-safe.
class SpanWindows {
 public:
  static constexpr uint32_t max_width = 512;

  // REQUIRES: 1 <= width <= max_width.
  SpanWindows(uint32_t width, const text::TokenOptions& tokens);

  // Calls visit(key) for the windows in their order: number i begins with token i.
  template <class Visit>
  void read(std::string_view text, Visit&& visit);

 private:
  static constexpr size_t block = 512;
  // B - 1 is 2 mod 4, as for shingles.
  static constexpr uint64_t base = 0xd1342543de82ef97;

  void reset();

  const size_t half_;    // tokens of a hash
  const size_t hashes_;  // of a window
  uint64_t leaving_ = 1;
  std::unique_ptr<text::TokenReader> reader_;
  std::array<uint64_t, block> tokens_;
  std::array<uint32_t, block> offsets_;
  std::vector<uint64_t> last_tokens_;  // a ring of half_
  std::vector<uint64_t> last_hashes_;  // a ring of hashes_
  std::vector<uint64_t> least_from_;   // of the ring before: the least hash from here on
};

inline PassageKey span_key(uint64_t least, uint64_t first, uint64_t last) {
  constexpr uint64_t salt = 0x7061737361676573;
  return {least, mix64(mix64(first) + last * golden), mix64(mix64(last ^ salt) + first * golden)};
}

template <class Visit>
void SpanWindows::read(std::string_view text, Visit&& visit) {
  reset();
  reader_->reset(text);
  constexpr uint64_t none = std::numeric_limits<uint64_t>::max();
  uint64_t polynomial = 0;
  uint64_t least = none;  // of the ring so far
  uint64_t tokens = 0;
  size_t token_at = 0;
  size_t hash_at = 0;
  for (size_t count = block; count == block;) {
    count = reader_->read({tokens_, offsets_});
    for (size_t i = 0; i < count; ++i) {
      polynomial = polynomial * base + tokens_[i] - last_tokens_[token_at] * leaving_;
      last_tokens_[token_at] = tokens_[i];
      if (++token_at == half_) token_at = 0;
      if (++tokens < half_) continue;
      const uint64_t hash = mix64(polynomial);
      least = std::min(least, hash);
      last_hashes_[hash_at] = hash;
      const uint64_t first = last_hashes_[hash_at + 1 == hashes_ ? 0 : hash_at + 1];
      const uint64_t anchor = std::min(least, least_from_[hash_at + 1]);
      if (tokens >= half_ + hashes_ - 1) visit(span_key(anchor, first, hash));
      if (++hash_at < hashes_) continue;
      hash_at = 0;
      least = none;
      for (size_t j = hashes_; j-- > 0;) {
        least_from_[j] = std::min(last_hashes_[j], least_from_[j + 1]);
      }
    }
  }
}

using text::ByteRange;

// Lines, with the line ends behind them, or paragraphs, with the blank lines behind them; those of
// fewer tokens are no units. One instance per worker; not thread-safe.
class LineUnits {
 public:
  LineUnits(PassageUnit unit, uint32_t min_tokens, const text::TokenOptions& tokens);

  // Calls visit(key, place) for the units in their order.
  template <class Visit>
  void read(std::string_view text, Visit&& visit) {
    for (size_t at = 0; at < text.size();) {
      const ByteRange place = next(text, at);
      at = place.end;
      if (make_key(text.substr(place.begin, place.end - place.begin))) visit(key_, place);
    }
  }

 private:
  ByteRange next(std::string_view text, size_t at) const;
  bool make_key(std::string_view unit);

  const PassageUnit unit_;
  const uint32_t min_tokens_;
  std::unique_ptr<text::TokenReader> reader_;
  std::vector<uint64_t> tokens_;
  std::vector<uint32_t> offsets_;
  PassageKey key_{};
};

// Consecutive elements of a text, [begin, end): tokens of spans, or one line or paragraph.
struct ElementRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

// The units of texts by the options of a run. One instance per worker; not thread-safe.
class PassageUnits {
 public:
  explicit PassageUnits(const PassageOptions& options);

  // Calls visit(key) for the units in their order; they are numbered from 0.
  template <class Visit>
  void read(std::string_view text, Visit&& visit) {
    if (spans_) {
      spans_->read(text, visit);
    } else {
      lines_->read(text, [&](const PassageKey& key, const ByteRange&) { visit(key); });
    }
  }

  // Elements that a unit covers from the one of its number on.
  uint32_t width() const { return width_; }

  // Where elements stand. `ranges` ascend and do not overlap. A range of tokens ends where the next
  // token begins, so with what separates them.
  std::vector<ByteRange> find(std::string_view text, const std::vector<ElementRange>& ranges);

 private:
  std::vector<ByteRange> find_tokens(std::string_view text,
                                     const std::vector<ElementRange>& ranges);
  std::vector<ByteRange> find_lines(std::string_view text, const std::vector<ElementRange>& ranges);

  uint32_t width_ = 1;
  std::unique_ptr<text::TokenReader> reader_;
  std::unique_ptr<SpanWindows> spans_;
  std::unique_ptr<LineUnits> lines_;
};

}  // namespace kith::jobs
