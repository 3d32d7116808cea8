#include "sketch/kernels/hamming_kernel.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX2 __attribute__((target("avx2,popcnt")))

namespace kith::internal {
namespace {

// The distances in the four lanes: bits counted by nibble in a table of 16 (Mula, Kurz, Lemire,
// Faster population counts using AVX2 instructions, 2018), then added up over each lane.
KITH_AVX2 inline __m256i distances(__m256i a, __m256i b) {
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i bits = _mm256_xor_si256(a, b);
  const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(bits, nibble));
  const __m256i high =
      _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi64(bits, 4), nibble));
  return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

// Bit i: whether the distance in lane i is at most `most`.
KITH_AVX2 inline unsigned near_lanes(__m256i distance, uint32_t most) {
  const __m256i far = _mm256_cmpgt_epi64(distance, _mm256_set1_epi64x(most));
  return static_cast<unsigned>(~_mm256_movemask_pd(_mm256_castsi256_pd(far))) & 0xf;
}

struct Level {
  static constexpr size_t width = 4;

  template <int vectors>
  struct Columns {
    KITH_AVX2 Columns(const uint64_t* columns, size_t count) {
      if (count == vectors * width) {
        load(columns);
        return;
      }
      uint64_t lanes[vectors * width] = {};
      for (size_t i = 0; i < count; ++i) lanes[i] = columns[i];
      load(lanes);
    }
    KITH_AVX2 void load(const uint64_t* columns) {
#pragma GCC unroll 4
      for (size_t v = 0; v < vectors; ++v) {
        values[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns + v * width));
      }
    }
    // Lanes without a column hold 0, which a row may be near.
    KITH_AVX2 bool any_near(uint64_t row, uint32_t most) const {
      const __m256i wide = _mm256_set1_epi64x(static_cast<int64_t>(row));
      __m256i least = distances(values[0], wide);
#pragma GCC unroll 4
      for (int v = 1; v < vectors; ++v) {
        least = _mm256_min_epu32(least, distances(values[v], wide));  // high halves are 0
      }
      return near_lanes(least, most) != 0;
    }
    KITH_AVX2 int near_count(uint64_t row, uint32_t most) const {
      const __m256i wide = _mm256_set1_epi64x(static_cast<int64_t>(row));
      int count = 0;
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        count += _mm_popcnt_u32(near_lanes(distances(values[v], wide), most));
      }
      return count;
    }
    __m256i values[vectors];
  };
};

KITH_AVX2 void pairs(const uint64_t* values, size_t n, uint32_t most, const NearPairTaker& taker) {
  near_pairs<Level>(values, n, most, taker);
}

KITH_AVX2 size_t scan(uint64_t value, const uint64_t* values, size_t n, uint32_t most,
                      uint32_t* places) {
  return near_places<Level>(value, values, n, most, places);
}

}  // namespace

const HammingKernels avx2_hamming = {pairs, scan};

}  // namespace kith::internal

#endif
