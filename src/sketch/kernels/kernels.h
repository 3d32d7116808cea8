// The inner loops of sketch: in plain C++, what those of all SIMD levels share, and which each
// level has. Internal to src/sketch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/hash.h"
#include "sketch/bag.h"
#include "sketch/signature.h"
#include "sketch/simd.h"
#include "sketch/simhash.h"

namespace kith::sketch {

// The inner loops of FastSketch that SIMD levels have of their own.

inline constexpr uint32_t max_bins = 1024;
// So many bins at most are given to BinsKernels::fill_few.
inline constexpr size_t few_bins = 8;

// One that throws every element into some bin: element e, of the hash h = e * multiplier mod 2^64,
// into bin (h / 2^32) * bins / 2^32 with the rank `rank` + h mod 2^32. The least rank wins.
struct BinsRound {
  uint64_t multiplier;  // odd
  uint64_t rank;        // 2^32 times the number of the round
  uint32_t bins;
};

constexpr uint32_t bin_of(const BinsRound& round, uint64_t hash) {
  return static_cast<uint32_t>(((hash >> 32) * round.bins) >> 32);
}
constexpr uint64_t rank_of(const BinsRound& round, uint64_t hash) {
  return round.rank | static_cast<uint32_t>(hash);
}

// What is left of a round when its bin was won by an earlier one.
inline void throw_into_open(const BinsRound& round, uint64_t element, uint64_t* ranks) {
  const uint64_t hash = element * round.multiplier;
  uint64_t& rank = ranks[bin_of(round, hash)];
  if (rank >= round.rank) rank = std::min(rank, rank_of(round, hash));
}

struct BinsKernels {
  // ranks[b] of the bins that are `open`, so not won by an earlier round: the least rank of all
  // elements that the round throws there. Other ranks stay. REQUIRES: 1 to few_bins open bins,
  // whose ranks are not below that of the round.
  void (*fill_few)(const BinsRound& round, std::span<const uint64_t> elements,
                   std::span<const uint16_t> open, uint64_t* ranks);
  // values[b] = the high half of mix64(ranks[b]), for so many bins.
  void (*tell)(const uint64_t* ranks, uint32_t bins, uint32_t* values);
};

// Comparison of rows of bytes.

struct Rows {
  const uint8_t* first;
  size_t size;  // bytes of a row
  const uint8_t* operator[](size_t i) const { return first + i * size; }
};

struct CompareKernels {
  CountEqualKernel one;
  RowKernels rows;
};

// The row of 128 lanes has code of its own, in which the loop over its vectors is unrolled.
inline constexpr size_t usual_size = 128;

inline uint32_t count_bytes(const uint8_t* a, const uint8_t* b, size_t size) {
  uint32_t count = 0;
  for (size_t i = 0; i < size; ++i) count += a[i] == b[i];
  return count;
}

// As RowKernels::equal_bits, for the bytes from `begin` on, a multiple of 64.
inline void equal_bits_from(size_t begin, const uint8_t* a, const uint8_t* b, size_t size,
                            uint64_t* words) {
  for (size_t word = begin / 64; word * 64 < size; ++word) {
    const size_t first = word * 64;
    const size_t count = std::min<size_t>(64, size - first);
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= uint64_t{a[first + i] == b[first + i]} << i;
    words[word] = bits;
  }
}

// As RowKernels::select, of rows whose bytes equal to the row count_with(other) says. Written
// without a branch: whether a row is selected is as good as random to the processor. Some are
// counted before the first is judged, so that none waits for another. Inlined, so that it takes on
// the instruction set of its caller.
template <class CountWith>
[[gnu::always_inline]] inline size_t select_rows(const CountWith& count_with, Rows rows,
                                                 size_t count, uint32_t least, uint32_t* selected) {
  constexpr size_t together = 4;
  size_t found = 0;
  const auto judge = [&](size_t i, uint32_t equal) {
    selected[found] = static_cast<uint32_t>(i);
    found += equal >= least ? 1 : 0;
  };
  size_t i = 0;
  for (; i + together <= count; i += together) {
    const uint32_t equal[together] = {count_with(rows[i]), count_with(rows[i + 1]),
                                      count_with(rows[i + 2]), count_with(rows[i + 3])};
    for (size_t j = 0; j < together; ++j) judge(i + j, equal[j]);
  }
  for (; i < count; ++i) judge(i, count_with(rows[i]));
  return found;
}

// The bytes equal to a row of any size.
template <CountEqualKernel count>
struct CountWithRow {
  const uint8_t* row;
  size_t size;
  [[gnu::always_inline]] uint32_t operator()(const uint8_t* other) const {
    return count(row, other, size);
  }
};

// Comparison of fingerprints one by one, as all SIMD levels do it where there is a hit. Internal to
// src/sketch.

// The near ones among (row, column) for columns in [begin, end).
inline void take_near(const uint64_t* values, size_t row, size_t begin, size_t end, uint32_t most,
                      const NearPairTaker& taker) {
  for (size_t column = begin; column < end; ++column) {
    if (hamming_distance(values[row], values[column]) > most) continue;
    taker.take(taker.context, static_cast<uint32_t>(row), static_cast<uint32_t>(column));
  }
}

// As HammingKernels::scan, of the values in [begin, end); `found` places are there already.
inline size_t add_near(uint64_t value, const uint64_t* values, size_t begin, size_t end,
                       uint32_t most, uint32_t* places, size_t found) {
  for (size_t i = begin; i < end; ++i) {
    places[found] = static_cast<uint32_t>(i);
    found += hamming_distance(value, values[i]) <= most ? 1 : 0;
  }
  return found;
}

// The inner loops of the sketcher: what all SIMD levels share. Internal to src/sketch.

// Lane L hashes x to h_L(x) = multiplier[L] * x + addend[L] mod 2^32.
struct LaneHashes {
  const uint32_t* multiplier;  // odd
  const uint32_t* addend;
  uint32_t lanes;  // a multiple of 16
};

// Copies that are expanded at a time: the scratch memory is bounded, whatever the bag.
inline constexpr uint32_t block_size = 1024;
inline constexpr uint32_t expand_step = 8;  // copies that are expanded together

// Premixed copies of words. A whole copy counts in every lane. A partial copy counts in the
// lanes where the low half of h_L is below its limit in (0, 65536): for a uniform x the low
// half is independent of the high half, which decides the order, so it serves as the dither
// u_L without a second multiplication.
struct Block {
  size_t whole_count;
  size_t partial_count;
  uint32_t whole[block_size + expand_step];  // the rest is scratch
  uint32_t partial[block_size];
  uint32_t limits[block_size];  // one per partial copy
};

// How bags become copies: a salt for the words, and S', the copies of a whole bag.
struct Flattening {
  uint64_t salt;
  uint32_t copies;
};

struct MinimaKernels {
  // Replaces a block by the copies of the longest front of at most block_size entries whose
  // whole copies fit it. Returns the length of that front. REQUIRES: entries is not empty,
  // flattening.copies <= block_size; so the front is not empty either.
  size_t (*fill)(const Flattening& flattening, Bag entries, Block& block);
  // minima[L] = min(minima[L], h_L of every copy of the block that counts in lane L).
  void (*update)(const LaneHashes& hashes, const Block& block, uint32_t* minima);
  // signature[L] = the high half of mix32(minima[L]): minima crowd near zero and the low bits
  // of a multiply-add are weak.
  void (*fold)(const uint32_t* minima, uint32_t lanes, uint16_t* signature);
};

// The inner loop of SetSketcher: what all SIMD levels share. Internal to src/sketch.

// Lanes come in blocks of 32. An element of halves (low, high) has in lane L of the first half of
// a block the value multiplier[L] * low mod 2^32, and in lane L + 16 that value + high: any two
// lanes of an element are independent, and half of the multiplications are saved. Only four
// lanes L, L + 16, K, K + 16 together are not. The last block may be a first half alone.
//
// Kept is the largest value, not the smallest: by symmetry it does not matter, but the one element
// of 2^32 whose low half is zero then loses in its lanes instead of winning all of them.
inline constexpr uint32_t half_block = 16;

// maxima[L] = max(maxima[L], the value in lane L of every element), for all `lanes` lanes, a
// multiple of 16. Lanes that are computed by addition do not use their multiplier.
using MinHashUpdate = void (*)(const uint32_t* multipliers, uint32_t lanes,
                               std::span<const uint64_t> elements, uint32_t* maxima);

// The halves of an element, read from memory one by one: a vector of copies comes out of a load of
// 32 bits for nothing, but takes two operations out of a register. Little-endian.
inline uint32_t low_half(const uint64_t& element) {
  uint32_t half;
  std::memcpy(&half, &element, sizeof half);
  return half;
}
inline uint32_t high_half(const uint64_t& element) {
  uint32_t half;
  std::memcpy(&half, reinterpret_cast<const char*>(&element) + sizeof half, sizeof half);
  return half;
}

// The inner loop of SimHash: what all SIMD levels share. Internal to src/sketch.

// Premixing: feature hashes may be small integers. The constant keeps 0, the fixed point of
// mix64, from standing for itself.
constexpr uint64_t mix_feature(uint64_t hash) {
  return mix64(hash + golden);
}

// Adds to sums[j] the weights of the n features whose mixed hash has bit j. REQUIRES: no sum
// exceeds 2^32 - 1.
using SimhashSums = void (*)(const WeightedFeature* features, size_t n, uint32_t* sums);

struct Kernels {
  MinimaKernels minima;
  MinHashUpdate minhash;
  BinsKernels bins;
  CompareKernels compare;
  HammingKernels hamming;  // at avx512 for processors that have AVX512VPOPCNTDQ as well
  SimhashSums simhash;
};

extern const Kernels scalar_kernels;
#if KITH_X86_KERNELS
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
#endif

// REQUIRES: level supported by this processor.
const Kernels& kernels(SimdLevel level);

}  // namespace kith::sketch
