#include "sketch/compare.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))

namespace kith::internal {
namespace {

constexpr size_t width = 64;  // bytes of a vector

KITH_AVX512 inline uint32_t count_vector(__m512i a, const uint8_t* b) {
  const __mmask64 equal = _mm512_cmpeq_epi8_mask(a, _mm512_loadu_si512(b));
  return static_cast<uint32_t>(_mm_popcnt_u64(equal));
}

KITH_AVX512 inline uint32_t count_vector(const uint8_t* a, const uint8_t* b) {
  return count_vector(_mm512_loadu_si512(a), b);
}

struct Count {
  KITH_AVX512 static uint32_t run(const uint8_t* a, const uint8_t* b, size_t size) {
    static_assert(usual_size == 2 * width);
    if (size == usual_size) return count_vector(a, b) + count_vector(a + width, b + width);
    uint32_t count = 0;
    size_t i = 0;
    for (; i + width <= size; i += width) count += count_vector(a + i, b + i);
    if (i == size) return count;
    const __mmask64 rest = ~uint64_t{0} >> (width - (size - i));
    const __mmask64 equal = _mm512_mask_cmpeq_epi8_mask(rest, _mm512_maskz_loadu_epi8(rest, a + i),
                                                        _mm512_maskz_loadu_epi8(rest, b + i));
    return count + static_cast<uint32_t>(_mm_popcnt_u64(equal));
  }
};

// The bytes equal to a usual row, which stays in registers.
struct CountWithUsualRow {
  __m512i front;
  __m512i back;
  KITH_AVX512 uint32_t operator()(const uint8_t* other) const {
    return count_vector(front, other) + count_vector(back, other + width);
  }
};

KITH_AVX512 size_t select(const uint8_t* row, const uint8_t* rows, size_t size, size_t count,
                          uint32_t least, uint32_t* selected) {
  if (size == usual_size) {
    const CountWithUsualRow usual{_mm512_loadu_si512(row), _mm512_loadu_si512(row + width)};
    return select_rows(usual, {rows, usual_size}, count, least, selected);
  }
  return select_rows(CountWithRow<Count>{row, size}, {rows, size}, count, least, selected);
}

KITH_AVX512 void equal_bits(const uint8_t* a, const uint8_t* b, size_t size, uint64_t* words) {
  size_t i = 0;
  for (; i + width <= size; i += width) {
    words[i / width] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
  }
  equal_bits_from(i, a, b, size, words);
}

}  // namespace

const CompareKernel avx512_compare = {Count::run, {select, equal_bits}};

}  // namespace kith::internal

#endif
