// The text of a page while it is written: blanks and control characters collapse to one blank,
// and there is none at the beginning.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "text/html/scan.h"

namespace kith::text {

class TextWriter {
 public:
  // Starts over on `text`, whose capacity is kept. Until finish() its size means nothing.
  TextWriter(std::string& text, size_t expected_bytes) : text_(&text) {
    if (text.size() < expected_bytes + slack) text.resize(expected_bytes + slack);
    begin_ = out_ = text.data();
    limit_ = out_ + text.size();
  }

  size_t size() const { return static_cast<size_t>(out_ - begin_); }

  // Leaves one blank if it is wanted, unless there is one or nothing was written yet. Without
  // branches: about every second tag of a page separates, and none can be predicted. There is
  // room: all other functions leave some, and two of these in a row write one blank.
  void put_blank_if(bool wanted) {
    *out_ = ' ';
    out_ += static_cast<int>(wanted) & static_cast<int>(!ends_blank());
  }
  void put_blank() { put_blank_if(true); }

  // A character, in as many bytes as it takes.
  void put(std::string_view character) {
    if (character.size() == 1 && is_blank_or_control(character[0])) return put_blank();
    make_room(character.size());
    std::memcpy(out_, character.data(), character.size());
    out_ += character.size();
  }

  // Copies [at, end) up to the first '<', '&' or NUL and returns where that is, or `end`.
  const char* copy(const char* at, const char* end) {
    make_room(static_cast<size_t>(end - at));
    if (at < end && is_blank(*at) && ends_blank()) at = skip_blanks_and_controls(at, end);
    char* out = out_;
    for (;;) {
      at = copy_to_stop(at, end, out);
      if (at == end || !is_blank(*at)) break;
      *out++ = ' ';
      at = skip_blanks_and_controls(at, end);
    }
    out_ = out;
    return at;
  }

  // Cuts the string to what was written.
  void finish() { text_->resize(size()); }

 private:
  // Room that is left after every write: copy() stores blocks of 16, put_blank_if() does not ask.
  static constexpr size_t slack = 32;

  // NUL has rules of its own, but beside a blank it does not matter.
  static bool is_blank(char c) { return is_blank_or_control(c) && c != '\0'; }

  bool ends_blank() const {
    static constexpr char blank = ' ';
    const char* const last = out_ == begin_ ? &blank : out_ - 1;
    return *last == ' ';
  }

  void make_room(size_t bytes) {
    if (static_cast<size_t>(limit_ - out_) >= bytes + slack) return;
    const size_t written = size();
    text_->resize(std::max(written + bytes + slack, written + written / 2));
    begin_ = text_->data();
    out_ = begin_ + written;
    limit_ = begin_ + text_->size();
  }

  // Copies up to the first '<', '&', NUL, or blank that is followed by another one.
  static const char* copy_to_stop(const char* at, const char* end, char*& out) {
#ifdef __SSE2__
    const __m128i blank = _mm_set1_epi8(' ');
    for (; end - at > 16; at += 16, out += 16) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 1));
      const __m128i clean = _mm_max_epu8(block, blank);  // controls become blanks
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), clean);
      const __m128i pairs = _mm_cmpeq_epi8(_mm_max_epu8(clean, next), blank);
      const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('<')),
                                         _mm_cmpeq_epi8(block, _mm_set1_epi8('&')));
      const __m128i stops =
          _mm_or_si128(_mm_or_si128(pairs, marks), _mm_cmpeq_epi8(block, _mm_setzero_si128()));
      const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stops));
      if (mask != 0) {
        out += std::countr_zero(mask);
        return at + std::countr_zero(mask);
      }
    }
#endif
    for (; at < end; ++at) {
      const char c = *at;
      if (c == '<' || c == '&' || c == '\0') return at;
      if (is_blank(c) && at + 1 < end && is_blank_or_control(at[1])) return at;
      *out++ = is_blank(c) ? ' ' : c;
    }
    return at;
  }

  std::string* text_;
  char* begin_;
  char* out_;
  char* limit_;
};

}  // namespace kith::text
