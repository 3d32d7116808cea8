// The units of a text of which repeated ones are sought: windows of tokens, lines, paragraphs
// (docs/algorithms/passages.md).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
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

  // Calls visit(key) for the windows in their order: number i begins with token i. Before that
  // calls note(i, offsets) for the next tokens, from number i on.
  template <class Visit, class Note>
  void read(std::string_view text, Visit&& visit, Note&& note);

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

template <class Visit, class Note>
void SpanWindows::read(std::string_view text, Visit&& visit, Note&& note) {
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
    note(tokens, std::span<const uint32_t>(offsets_).first(count));
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
  static constexpr size_t block = 512;

  std::unique_ptr<text::TokenReader> reader_;
  std::array<uint64_t, block> tokens_;
  std::array<uint32_t, block> offsets_;
  PassageKey key_{};
};

// Consecutive elements of a text, [begin, end): tokens of spans, or one line or paragraph.
struct ElementRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  friend bool operator==(const ElementRange&, const ElementRange&) = default;
};

// Finds where ranges of tokens begin and end, block by block. A range ends where the next token
// begins, so with what separates them.
class TokenPlaces {
 public:
  // `ranges` ascend, do not overlap, and outlive the object. size: of the text.
  TokenPlaces(uint64_t size, const std::vector<ElementRange>& ranges)
      : ranges_(ranges), found_(ranges.size(), ByteRange{size, size}) {}

  // The tokens from number `first` on.
  void note(uint64_t first, std::span<const uint32_t> offsets) {
    const auto is_here = [&](uint64_t token) { return token - first < offsets.size(); };
    for (; begins_ < ranges_.size() && is_here(ranges_[begins_].begin); ++begins_) {
      found_[begins_].begin = offsets[ranges_[begins_].begin - first];
    }
    for (; ends_ < ranges_.size() && is_here(ranges_[ends_].end); ++ends_) {
      found_[ends_].end = offsets[ranges_[ends_].end - first];
    }
  }
  const std::vector<ByteRange>& found() const { return found_; }

 private:
  const std::vector<ElementRange>& ranges_;
  std::vector<ByteRange> found_;
  size_t begins_ = 0;  // ranges whose begins were found
  size_t ends_ = 0;
};

// The units of texts by the options of a run. One instance per worker; not thread-safe.
class PassageUnits {
 public:
  explicit PassageUnits(const PassageOptions& options);

  // Calls visit(key) for the units in their order; they are numbered from 0.
  template <class Visit>
  void read(std::string_view text, Visit&& visit) {
    if (spans_) {
      spans_->read(text, visit, [](uint64_t, std::span<const uint32_t>) {});
    } else {
      lines_->read(text, [&](const PassageKey& key, const ByteRange&) { visit(key); });
    }
  }

  // Elements that a unit covers from the one of its number on.
  uint32_t width() const { return width_; }

  // The same, and finds where elements stand. `ranges` ascend and do not overlap.
  template <class Visit>
  std::vector<ByteRange> find(std::string_view text, const std::vector<ElementRange>& ranges,
                              Visit&& visit) {
    if (!spans_) return find_lines(text, ranges, visit);
    TokenPlaces places(text.size(), ranges);
    spans_->read(text, visit, [&](uint64_t first, std::span<const uint32_t> offsets) {
      places.note(first, offsets);
    });
    return places.found();
  }

 private:
  template <class Visit>
  std::vector<ByteRange> find_lines(std::string_view text, const std::vector<ElementRange>& ranges,
                                    Visit&& visit) {
    std::vector<ByteRange> found;
    uint64_t number = 0;
    lines_->read(text, [&](const PassageKey& key, const ByteRange& place) {
      visit(key);
      if (found.size() < ranges.size() && ranges[found.size()].begin == number) {
        found.push_back(place);
      }
      ++number;
    });
    return found;
  }

  uint32_t width_ = 1;
  std::unique_ptr<SpanWindows> spans_;
  std::unique_ptr<LineUnits> lines_;
};

}  // namespace kith::jobs
