#include "sketch/kernels/hamming_kernel.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX512 __attribute__((target("avx512f,avx512vpopcntdq,popcnt")))

namespace kith::internal {
namespace {

constexpr __mmask8 all = 0xff;

KITH_AVX512 inline __mmask8 first_lanes(size_t count) {
  return static_cast<__mmask8>(count >= 8 ? all : (1u << count) - 1);
}

KITH_AVX512 inline __m512i distances(__m512i a, __m512i b) {
  return _mm512_popcnt_epi64(_mm512_xor_si512(a, b));
}

struct Level {
  static constexpr size_t width = 8;

  template <int vectors>
  struct Columns {
    KITH_AVX512 Columns(const uint64_t* columns, size_t count) {
#pragma GCC unroll 4
      for (size_t v = 0; v < vectors; ++v) {
        const size_t rest = count > v * width ? count - v * width : 0;
        values[v] = _mm512_maskz_loadu_epi64(first_lanes(rest), columns + v * width);
      }
    }
    // Lanes without a column hold 0, which a row may be near.
    KITH_AVX512 bool any_near(uint64_t row, uint32_t most) const {
      const __m512i wide = _mm512_set1_epi64(static_cast<int64_t>(row));
      __m512i least = distances(values[0], wide);
#pragma GCC unroll 4
      for (int v = 1; v < vectors; ++v) {
        least = _mm512_maskz_min_epu64(all, least, distances(values[v], wide));
      }
      return _mm512_cmple_epu64_mask(least, _mm512_set1_epi64(most)) != 0;
    }
    KITH_AVX512 int near_count(uint64_t row, uint32_t most) const {
      const __m512i wide = _mm512_set1_epi64(static_cast<int64_t>(row));
      int count = 0;
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        count += _mm_popcnt_u32(
            _mm512_cmple_epu64_mask(distances(values[v], wide), _mm512_set1_epi64(most)));
      }
      return count;
    }
    __m512i values[vectors];
  };
};

KITH_AVX512 void pairs(const uint64_t* values, size_t n, uint32_t most,
                       const NearPairTaker& taker) {
  near_pairs<Level>(values, n, most, taker);
}

KITH_AVX512 size_t scan(uint64_t value, const uint64_t* values, size_t n, uint32_t most,
                        uint32_t* places) {
  return near_places<Level>(value, values, n, most, places);
}

}  // namespace

const HammingKernels avx512_hamming = {pairs, scan};

}  // namespace kith::internal

#endif
