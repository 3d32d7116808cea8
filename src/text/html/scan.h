// Searches over bytes, and where blocks of text begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/html/html.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <bit>

#include "base/bytes.h"

namespace kith::text {

#ifdef __SSE2__
// Bit i tells whether byte i of the 16 at `at` is one of `bytes`.
template <char... bytes>
inline unsigned mask_of_any(const char* at) {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  __m128i hits = _mm_setzero_si128();
  ((hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8(bytes)))), ...);
  return static_cast<unsigned>(_mm_movemask_epi8(hits));
}
#endif

// The first byte in [at, end) that is one of `bytes`; `end` when there is none.
template <char... bytes>
inline const char* find_any(const char* at, const char* end) {
#ifdef __SSE2__
  if (end - at >= 16) {
    for (; end - at >= 16; at += 16) {
      const unsigned mask = mask_of_any<bytes...>(at);
      if (mask != 0) return at + std::countr_zero(mask);
    }
    // The rest, with bytes before it that have none.
    const unsigned mask = mask_of_any<bytes...>(end - 16);
    return mask != 0 ? end - 16 + std::countr_zero(mask) : end;
  }
#endif
  while (at < end && !((*at == bytes) || ...)) ++at;
  return at;
}

// What text may not hold: control characters separate like a blank.
constexpr bool is_blank_or_control(char c) {
  return static_cast<uint8_t>(c) <= ' ';
}

// The first byte in [at, end) that is neither a blank nor a control character; or `end`.
inline const char* skip_blanks_and_controls(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i blank = _mm_set1_epi8(' ');
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i is_blank = _mm_cmpeq_epi8(_mm_max_epu8(block, blank), blank);
    const auto others = ~static_cast<unsigned>(_mm_movemask_epi8(is_blank)) & 0xffff;
    if (others != 0) return at + std::countr_zero(others);
  }
#endif
  while (at < end && is_blank_or_control(*at)) ++at;
  return at;
}

// Whether a name of a tag or an attribute ends at this byte.
template <char... others>
constexpr bool ends_name(char c) {
  return is_ascii_blank(c) || c == '/' || c == '>' || ((c == others) || ...);
}

// `size`, but where it is one of `guesses` the processor may go on before it is known: a branch
// that is predicted takes the place of a wait for a search.
template <size_t... guesses>
inline size_t predict(size_t size) {
  const auto constant = [](size_t guess) {
    asm("" : "+r"(guess));  // else the compiler sees that the branches agree
    return guess;
  };
  size_t result = size;
  static_cast<void>(((size == guesses ? (result = constant(guesses), true) : false) || ...));
  return result;
}

// How many of the 16 bytes at `at` stand before the first that ends a name or is a control
// character; 16 when none does.
template <char... others>
inline size_t name_bytes_in_block(const char* at) {
#ifdef __SSE2__
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i blank = _mm_set1_epi8(' ');
  __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(_mm_max_epu8(block, blank), blank),
                              _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('/')),
                                           _mm_cmpeq_epi8(block, _mm_set1_epi8('>'))));
  ((hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8(others)))), ...);
  const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
  return static_cast<size_t>(std::countr_zero(mask | 1u << 16));
#else
  size_t size = 0;
  while (size < 16 && !is_blank_or_control(at[size]) && !ends_name<others...>(at[size])) ++size;
  return size;
#endif
}

// The end of the name at `at`: a blank, '/', '>', one of `others`, or `end`. Control characters
// that are no blanks are part of a name.
template <char... others>
inline const char* find_name_end(const char* at, const char* end) {
  if (end - at >= 16) at += name_bytes_in_block<others...>(at);
  while (at < end && !ends_name<others...>(*at)) ++at;
  return at;
}

// Where the blocks of a page begin and end, while its text is written.
class BlockBounds {
 public:
  // Starts over on `bounds`, whose capacity is kept. Until finish() its size means nothing.
  explicit BlockBounds(std::vector<uint32_t>& bounds) : bounds_(&bounds) {
    if (bounds.size() < first_size) bounds.resize(first_size);
    bounds.front() = 0;
  }

  // Notes that text which ends at `size` bytes is followed by another block, if that is `wanted`
  // and was not noted yet. Without branches, as in TextWriter::put_blank_if.
  void put_if(bool wanted, size_t size) {
    if (count_ + 1 == bounds_->size()) bounds_->resize(2 * bounds_->size());
    uint32_t* const bounds = bounds_->data();
    const auto bound = static_cast<uint32_t>(size);
    const bool is_new = bounds[count_] != bound;
    bounds[count_ + 1] = bound;
    count_ += static_cast<size_t>(wanted) & static_cast<size_t>(is_new) &
              static_cast<size_t>(count_ < max_blocks);
  }

  // Cuts the list to what was noted.
  void finish() {
    bounds_->erase(bounds_->begin());
    bounds_->resize(count_);
  }

 private:
  static constexpr size_t first_size = 256;

  std::vector<uint32_t>* bounds_;  // behind a 0, which needs no bound
  size_t count_ = 0;
};

}  // namespace kith::text
