#include "sketch/compare.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX2 __attribute__((target("avx2")))

namespace kith::internal {
namespace {

constexpr size_t width = 32;  // bytes of a vector

KITH_AVX2 inline __m256i load(const uint8_t* bytes) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}
KITH_AVX2 inline __m256i equal_bytes(const uint8_t* a, const uint8_t* b) {
  return _mm256_cmpeq_epi8(load(a), load(b));  // -1 where equal
}

// The numbers of equal bytes in the four quarters of every vector of a usual row.
KITH_AVX2 inline __m256i quarter_counts_usual(const uint8_t* a, const uint8_t* b) {
  static_assert(usual_size == 4 * width);
  const __m256i front = _mm256_add_epi8(equal_bytes(a, b), equal_bytes(a + width, b + width));
  const __m256i back = _mm256_add_epi8(equal_bytes(a + 2 * width, b + 2 * width),
                                       equal_bytes(a + 3 * width, b + 3 * width));
  const __m256i zero = _mm256_setzero_si256();
  return _mm256_sad_epu8(_mm256_sub_epi8(zero, _mm256_add_epi8(front, back)), zero);
}

// The same for the whole vectors of any row: byte-wide counters, added up before they overflow.
KITH_AVX2 inline __m256i quarter_counts(const uint8_t* a, const uint8_t* b, size_t vectors) {
  constexpr size_t most = 255;
  const __m256i zero = _mm256_setzero_si256();
  __m256i sums = zero;
  for (size_t done = 0; done < vectors;) {
    const size_t end = std::min(vectors, done + most);
    __m256i counters = zero;
    for (; done < end; ++done) {
      counters = _mm256_sub_epi8(counters, equal_bytes(a + done * width, b + done * width));
    }
    sums = _mm256_add_epi64(sums, _mm256_sad_epu8(counters, zero));
  }
  return sums;
}

KITH_AVX2 inline uint32_t sum_of_quarters(__m256i counts) {
  __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(counts), _mm256_extracti128_si256(counts, 1));
  sum = _mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum));
  return static_cast<uint32_t>(_mm_cvtsi128_si32(sum));
}

struct Count {
  KITH_AVX2 static uint32_t run(const uint8_t* a, const uint8_t* b, size_t size) {
    if (size == usual_size) return sum_of_quarters(quarter_counts_usual(a, b));
    const size_t vectors = size / width;
    const size_t done = vectors * width;
    return sum_of_quarters(quarter_counts(a, b, vectors)) +
           count_bytes(a + done, b + done, size - done);
  }
};

KITH_AVX2 size_t select(const uint8_t* row, const uint8_t* rows, size_t size, size_t count,
                        uint32_t least, uint32_t* selected) {
  return select_rows(CountWithRow<Count>{row, size}, {rows, size}, count, least, selected);
}

KITH_AVX2 inline uint64_t bits_of(__m256i equal) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(equal));
}

KITH_AVX2 void equal_bits(const uint8_t* a, const uint8_t* b, size_t size, uint64_t* words) {
  size_t i = 0;
  for (; i + 2 * width <= size; i += 2 * width) {
    words[i / (2 * width)] = bits_of(equal_bytes(a + i, b + i)) |
                             bits_of(equal_bytes(a + i + width, b + i + width)) << width;
  }
  equal_bits_from(i, a, b, size, words);
}

}  // namespace

const CompareKernel avx2_compare = {Count::run, {select, equal_bits}};

}  // namespace kith::internal

#endif
