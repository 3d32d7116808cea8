// Searches over bytes, 16 at a time where there is SSE2. Every function reads [at, end) only.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <bit>
#include <cstdint>

namespace kith::text {

// The first byte in [at, end) that is one of `bytes`; `end` when there is none.
template <char... bytes>
inline const char* find_any(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    __m128i hits = _mm_setzero_si128();
    ((hits = _mm_or_si128(hits, _mm_cmpeq_epi8(block, _mm_set1_epi8(bytes)))), ...);
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    if (mask != 0) return at + std::countr_zero(mask);
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

}  // namespace kith::text
