#include "sketch/kernels/flatten.h"
#include "sketch/kernels/minima.h"

#if KITH_X86_KERNELS

#include <immintrin.h>

#define KITH_AVX2 __attribute__((target("avx2")))

namespace kith::internal {
namespace {

constexpr uint32_t width = 8;  // lanes of a vector

KITH_AVX2 inline __m256i load(const uint32_t* values) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
}

KITH_AVX2 inline void store(uint32_t* out, __m256i values) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), values);
}

// mix32 of 8 values.
KITH_AVX2 inline __m256i mix(__m256i x) {
  x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 16));
  x = _mm256_mullo_epi32(x, _mm256_set1_epi32(static_cast<int>(mix32_multiplier_1)));
  x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 13));
  x = _mm256_mullo_epi32(x, _mm256_set1_epi32(static_cast<int>(mix32_multiplier_2)));
  return _mm256_xor_si256(x, _mm256_srli_epi32(x, 16));
}

struct Expand {
  static_assert(expand_step == width);

  KITH_AVX2 static void run(Word word, uint32_t count, uint32_t* out) {
    const __m256i start = _mm256_set1_epi32(static_cast<int>(word.start));
    const __m256i stride = _mm256_set1_epi32(static_cast<int>(word.stride));
    __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (uint32_t i = 0; i < count; i += width) {
      store(out + i, mix(_mm256_add_epi32(start, _mm256_mullo_epi32(number, stride))));
      number = _mm256_add_epi32(number, _mm256_set1_epi32(width));
    }
  }
};

// Vectors * width lanes from `first` on; their minima stay in registers over both loops.
template <int vectors>
KITH_AVX2 inline void update_lanes(const LaneHashes& hashes, const Block& block, uint32_t first,
                                   uint32_t* minima) {
  __m256i a[vectors];
  __m256i b[vectors];
  __m256i least[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    a[v] = load(hashes.multiplier + first + v * width);
    b[v] = load(hashes.addend + first + v * width);
    least[v] = load(minima + first + v * width);
  }
  for (size_t i = 0; i < block.whole_count; ++i) {
    const __m256i x = _mm256_set1_epi32(static_cast<int>(block.whole[i]));
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const __m256i h = _mm256_add_epi32(_mm256_mullo_epi32(x, a[v]), b[v]);
      least[v] = _mm256_min_epu32(least[v], h);
    }
  }
  const __m256i low_half = _mm256_set1_epi32(0xffff);
  for (size_t i = 0; i < block.partial_count; ++i) {
    const __m256i x = _mm256_set1_epi32(static_cast<int>(block.partial[i]));
    const __m256i last = _mm256_set1_epi32(static_cast<int>(block.limits[i]) - 1);
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const __m256i h = _mm256_add_epi32(_mm256_mullo_epi32(x, a[v]), b[v]);
      const __m256i out = _mm256_cmpgt_epi32(_mm256_and_si256(h, low_half), last);
      least[v] = _mm256_min_epu32(least[v], _mm256_or_si256(h, out));
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    store(minima + first + v * width, least[v]);
  }
}

KITH_AVX2 void update(const LaneHashes& hashes, const Block& block, uint32_t* minima) {
  uint32_t lane = 0;
  for (; lane + 4 * width <= hashes.lanes; lane += 4 * width) {
    update_lanes<4>(hashes, block, lane, minima);
  }
  for (; lane < hashes.lanes; lane += 2 * width) update_lanes<2>(hashes, block, lane, minima);
}

KITH_AVX2 void fold(const uint32_t* minima, uint32_t lanes, uint16_t* signature) {
  for (uint32_t lane = 0; lane < lanes; lane += 2 * width) {
    const __m256i low = _mm256_srli_epi32(mix(load(minima + lane)), 16);
    const __m256i high = _mm256_srli_epi32(mix(load(minima + lane + width)), 16);
    // packus works within 128-bit halves: the middle quarters are swapped back.
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0b11011000);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(signature + lane), packed);
  }
}

}  // namespace

KITH_AVX2 size_t fill_avx2(const Flattening& flattening, Bag entries, Block& block) {
  return fill_block<Expand>(flattening, entries, block);
}

const MinimaKernel avx2_minima = {fill_avx2, update, fold};

}  // namespace kith::internal

#endif
