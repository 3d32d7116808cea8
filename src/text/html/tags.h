// The names of HTML tags that mean something to the text of a page.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "text/html/scan.h"

namespace kith::text {

// Tags with a meaning of their own; all others are `other`.
enum class Tag : uint8_t {
  other,
  a,
  annotation_xml,
  area,
  base,
  desc,
  font,
  foreign_data,  // annotation, metadata: in MathML and SVG what no browser shows
  foreign_object,
  heading,  // h1, h2
  html,
  image,
  img,
  link,
  math,
  math_token,  // mi, mn, mo, ms, mtext
  meta,
  noscript,
  plaintext,
  script,
  style,
  svg,
  template_,
  textarea,
  title,
  unseen,  // iframe, noembed, noframes: raw text that no browser shows
  xmp,
};

struct TagInfo {
  uint64_t low = 0;  // the name in lower case, its first character in the lowest byte
  uint64_t high = 0;
  Tag tag = Tag::other;
  bool separates = false;       // its start and end leave a blank: words do not run across
  bool is_block = false;        // it separates, and what is inside is a passage of its own
  bool leaves_foreign = false;  // its start ends an open <svg> or <math> (13.2.6.5)
};

// A hash table of the known tags without collisions; an empty slot has low == 0.
inline constexpr size_t tag_slot_bits = 11;
struct TagTable {
  uint64_t multiplier = 0;
  std::array<TagInfo, size_t{1} << tag_slot_bits> slots = {};
};
extern const TagTable tag_table;

constexpr size_t tag_slot_of(uint64_t low, uint64_t high, uint64_t multiplier) {
  return (low ^ high * 31) * multiplier >> (64 - tag_slot_bits);
}

// The tag of the name of `size` > 0 bytes at `at`, where 16 bytes can be read; there is no
// control character in it. What is unknown is `other` and does not separate. The reference is
// static.
inline const TagInfo& find_tag(const char* at, size_t size) {
  static constexpr TagInfo unknown;
  constexpr uint64_t case_bits = 0x2020202020202020;
  constexpr uint64_t all = ~uint64_t{0};
  if (size >= 16) return unknown;
  uint64_t low = 0;
  uint64_t high = 0;
  std::memcpy(&low, at, 8);
  low |= case_bits;
  if (size <= 8) {
    low &= all >> (64 - 8 * size);
  } else {
    std::memcpy(&high, at + 8, 8);
    high = (high | case_bits) & all >> (128 - 8 * size);
  }
  const TagInfo& info = tag_table.slots[tag_slot_of(low, high, tag_table.multiplier)];
  return info.low == low && info.high == high ? info : unknown;
}

// The same for any name, of which not more can be read.
inline const TagInfo& find_tag_by_copy(std::string_view name) {
  std::array<char, 16> padded = {};
  std::ranges::copy(name.substr(0, padded.size()), padded.begin());
  const bool may_be_known = std::ranges::none_of(name, is_blank_or_control);
  return find_tag(padded.data(), may_be_known ? name.size() : padded.size());
}

// Which elements of SVG and MathML are open, as far as the tokenizer must know: there, CDATA
// sections are text and <title>, <style>, <script> are markup (WHATWG HTML, 13.2.6.5).
enum class ForeignKind : uint8_t {
  svg,
  math,
  html,     // an integration point: HTML again, until its end tag
  dropped,  // content that is not shown: <style>, <script>, <metadata>, <annotation>
};

class ForeignStack {
 public:
  bool is_empty() const { return depth_ == 0; }
  // Inside of SVG or MathML and not at an integration point.
  bool is_foreign() const { return depth_ > 0 && top() != ForeignKind::html; }
  bool is_dropped() const { return depth_ > 0 && top() == ForeignKind::dropped; }
  // REQUIRES: !is_empty().
  ForeignKind top() const { return entries_[depth_ - 1].kind; }

  void open(ForeignKind kind, Tag tag);
  // The end tag of `tag`: closes the innermost open one and all within it.
  void close(Tag tag);
  // An HTML tag that cannot stand in foreign content ends it.
  void leave();

 private:
  struct Entry {
    ForeignKind kind;
    Tag tag;
  };
  // Deeper elements are only counted, so that close() is of constant time.
  static constexpr size_t max_depth = 32;

  std::array<Entry, max_depth> entries_;
  size_t depth_ = 0;
  size_t deeper_ = 0;
};

// Where content ends that is not markup: of <style>, <title>, <script>, comments
// (WHATWG HTML, 13.2.5.2 to 13.2.5.31 and 13.2.5.41 to 13.2.5.52).

// The '<' of the end tag "</name" that closes raw text or escapable raw text; or `end`.
const char* find_raw_text_end(const char* at, const char* end, std::string_view name);

// The '<' of the "</script" that ends a script: not one within "<!-- <script>"; or `end`.
const char* find_script_end(const char* at, const char* end);

// Behind the "-->" or "--!>" of a comment, from behind its "<!--"; or `end`.
const char* find_comment_end(const char* at, const char* end);

}  // namespace kith::text
