// Which elements of SVG and MathML are open, as far as the tokenizer must know: there, CDATA
// sections are text and <title>, <style>, <script> are markup (WHATWG HTML, 13.2.6.5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "text/html/tags.h"

namespace kith::text {

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

}  // namespace kith::text
