// BinsKernels over vectors: see vectors.h. The file of a level has low_halves(), high_halves(),
// even_products() and not_above().
#pragma once

#include <array>

#include "base/hash.h"
#include "sketch/kernels/flatten.h"
#include "sketch/kernels/kernels.h"
#include "sketch/kernels/vectors.h"

namespace kith::sketch {
namespace {

// Where the halves of two vectors of elements come to stand: in turn two of the first and two of
// the second, as instructions on quarters of 128 bits leave them.
constexpr uint32_t element_of(uint32_t place) {
  return place / 4 * 2 + place % 2 + (place % 4 / 2) * (width / 2);
}

// The high halves of `width` elements times a number, mod 2^64.
KITH_TARGET inline U32s high_products(const uint64_t* elements, U32s low, U32s high) {
  const U64s first = load<U64s>(elements);
  const U64s second = load<U64s>(elements + width / 2);
  const U32s carried = high_halves(even_products(first, low), even_products(second, low));
  return carried + low_halves(first, second) * high + high_halves(first, second) * low;
}

// Of the open bins: the hashes whose high half is in [first, first + size), or perhaps a little
// more, since bins may differ by one in size.
struct HashRanges {
  KITH_TARGET HashRanges(uint32_t bins, std::span<const uint16_t> open)
      : count(open.size()), last(U32s{} + static_cast<uint32_t>(above(1, bins) - 1)) {
    for (size_t i = 0; i < count; ++i) first[i] = static_cast<uint32_t>(above(open[i], bins));
  }
  // The smallest hash of a bin.
  static constexpr uint64_t above(uint64_t bin, uint32_t bins) {
    return ((bin << 32) + bins - 1) / bins;
  }
  // A bit for each hash that is in one of them.
  KITH_TARGET unsigned holds(U32s hashes) const {
    U32s least = hashes - first[0];
    for (size_t i = 1; i < count; ++i) least = smaller(least, hashes - first[i]);
    return not_above(least, last);
  }

  size_t count;
  U32s last;
  uint32_t first[few_bins];
};

// So many vectors of elements at a time: which of them fall into open bins is found first, and then
// looked at, so that no branch depends on it in between.
inline constexpr size_t most_groups = 256;

KITH_TARGET inline void fill_groups(const BinsRound& round, const HashRanges& ranges,
                                    const uint64_t* elements, size_t groups, uint64_t* ranks) {
  const U32s low = U32s{} + static_cast<uint32_t>(round.multiplier);
  const U32s high = U32s{} + static_cast<uint32_t>(round.multiplier >> 32);
  struct Found {
    uint32_t group;
    uint32_t places;
  };
  Found found[most_groups];
  size_t count = 0;
  for (size_t g = 0; g < groups; ++g) {
    const unsigned places = ranges.holds(high_products(elements + g * width, low, high));
    found[count] = {static_cast<uint32_t>(g), places};
    count += places != 0 ? 1 : 0;
  }
  for (size_t i = 0; i < count; ++i) {
    for (uint32_t places = found[i].places; places != 0; places &= places - 1) {
      const uint32_t place = element_of(static_cast<uint32_t>(__builtin_ctz(places)));
      throw_into_open(round, elements[found[i].group * width + place], ranks);
    }
  }
}

KITH_TARGET inline void fill_few(const BinsRound& round, std::span<const uint64_t> elements,
                                 std::span<const uint16_t> open, uint64_t* ranks) {
  const HashRanges ranges(round.bins, open);
  while (elements.size() >= width) {
    const size_t groups = std::min(elements.size() / width, most_groups);
    fill_groups(round, ranges, elements.data(), groups, ranks);
    elements = elements.subspan(groups * width);
  }
  for (const uint64_t element : elements) throw_into_open(round, element, ranks);
}

// A loop that compilers turn into vectors.
KITH_TARGET inline void tell_winners(const uint64_t* ranks, uint32_t bins, uint32_t* values) {
  for (uint32_t b = 0; b < bins; ++b) values[b] = static_cast<uint32_t>(mix64(ranks[b]) >> 32);
}

}  // namespace

// MinHashUpdate over vectors: see vectors.h.
namespace {

inline constexpr uint32_t half_vectors = half_block / width;

// Vector v of the products of blocks: its lanes are lane_of(v) and, for the sums, half_block on
// from there.
constexpr uint32_t lane_of(uint32_t v) {
  return v / half_vectors * 2 * half_block + v % half_vectors * width;
}

// So many blocks, whole ones or first halves; their maxima stay in registers.
template <uint32_t blocks, bool has_sums>
KITH_TARGET inline void update_blocks(const uint32_t* multipliers,
                                      std::span<const uint64_t> elements, uint32_t* maxima) {
  constexpr uint32_t vectors = blocks * half_vectors;
  U32s a[vectors];
  U32s product_max[vectors];
  U32s sum_max[vectors];
#pragma GCC unroll 8
  for (uint32_t v = 0; v < vectors; ++v) {
    a[v] = load<U32s>(multipliers + lane_of(v));
    product_max[v] = load<U32s>(maxima + lane_of(v));
    if constexpr (has_sums) sum_max[v] = load<U32s>(maxima + lane_of(v) + half_block);
  }
  for (const uint64_t& element : elements) {
#pragma GCC unroll 8
    for (uint32_t v = 0; v < vectors; ++v) {
      const U32s product = low_half(element) * a[v];
      product_max[v] = larger(product_max[v], product);
      if constexpr (has_sums) sum_max[v] = larger(sum_max[v], product + high_half(element));
    }
  }
#pragma GCC unroll 8
  for (uint32_t v = 0; v < vectors; ++v) {
    store(maxima + lane_of(v), product_max[v]);
    if constexpr (has_sums) store(maxima + lane_of(v) + half_block, sum_max[v]);
  }
}

KITH_TARGET inline void update_maxima(const uint32_t* multipliers, uint32_t lanes,
                                      std::span<const uint64_t> elements, uint32_t* maxima) {
  constexpr uint32_t one = 2 * half_block;
  constexpr uint32_t most = 4 / half_vectors;  // blocks that registers hold
  uint32_t lane = 0;
  for (; lane + most * one <= lanes; lane += most * one) {
    update_blocks<most, true>(multipliers + lane, elements, maxima + lane);
  }
  for (; lane + one <= lanes; lane += one) {
    update_blocks<1, true>(multipliers + lane, elements, maxima + lane);
  }
  if (lane < lanes) update_blocks<1, false>(multipliers + lane, elements, maxima + lane);
}

}  // namespace

// MinimaKernels over vectors: see vectors.h.
namespace {

// mix32 of every lane but for its last step, which leaves the high half as it is.
template <class Vector>
KITH_TARGET inline Vector mix_high(Vector x) {
  x ^= x >> 16;
  x *= mix32_multiplier_1;
  x ^= x >> 13;
  return x * mix32_multiplier_2;
}

// Eight copies at a time at every level: a word seldom has more.
struct Expand {
  using Copies [[gnu::vector_size(expand_step * sizeof(uint32_t))]] = uint32_t;

  KITH_TARGET static void run(Word word, uint32_t count, uint32_t* out) {
    Copies number = {0, 1, 2, 3, 4, 5, 6, 7};
    for (uint32_t i = 0; i < count; i += expand_step) {
      const Copies x = mix_high(word.start + number * word.stride);
      store(out + i, x ^ (x >> 16));
      number += expand_step;
    }
  }
};

KITH_TARGET inline size_t fill(const Flattening& flattening, Bag entries, Block& block) {
  return fill_block<Expand>(flattening, entries, block);
}

// So many vectors of lanes from `first` on; their minima stay in registers over both loops.
template <int vectors>
KITH_TARGET inline void update_minima_of(const LaneHashes& hashes, const Block& block,
                                         uint32_t first, uint32_t* minima) {
  U32s a[vectors];
  U32s b[vectors];
  U32s least[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    a[v] = load<U32s>(hashes.multiplier + first + v * width);
    b[v] = load<U32s>(hashes.addend + first + v * width);
    least[v] = load<U32s>(minima + first + v * width);
  }
  for (size_t i = 0; i < block.whole_count; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) least[v] = smaller(least[v], block.whole[i] * a[v] + b[v]);
  }
  for (size_t i = 0; i < block.partial_count; ++i) {
    const auto last = static_cast<int32_t>(block.limits[i]) - 1;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const U32s h = block.partial[i] * a[v] + b[v];
      // Signed: AVX2 has no other comparison, and both sides are below 2^16.
      least[v] = smaller_unless((I32s)(h & 0xffff) > last, least[v], h);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) store(minima + first + v * width, least[v]);
}

// As many lanes at a time as registers hold, of which AVX-512 has twice as many.
KITH_TARGET inline void update_minima(const LaneHashes& hashes, const Block& block,
                                      uint32_t* minima) {
  constexpr int most = vector_bytes == 64 ? 8 : 4;
  constexpr uint32_t step = 16;  // divides hashes.lanes
  uint32_t lane = 0;
  for (; lane + most * width <= hashes.lanes; lane += most * width) {
    update_minima_of<most>(hashes, block, lane, minima);
  }
  for (; lane + most / 2 * width <= hashes.lanes; lane += most / 2 * width) {
    update_minima_of<most / 2>(hashes, block, lane, minima);
  }
  for (; lane < hashes.lanes; lane += step) {
    update_minima_of<step / width>(hashes, block, lane, minima);
  }
}

KITH_TARGET inline void fold_minima(const uint32_t* minima, uint32_t lanes, uint16_t* signature) {
  using U16s [[gnu::vector_size(vector_bytes / 2)]] = uint16_t;
  for (uint32_t lane = 0; lane < lanes; lane += width) {
    const U32s high_halves = mix_high(load<U32s>(minima + lane)) >> 16;
    store(signature + lane, __builtin_convertvector(high_halves, U16s));
  }
}

}  // namespace

// SimhashSums over vectors: see vectors.h.
namespace {

// The bits of a half of a mixed hash, in the order of the sums.
inline constexpr auto bits_of_half = [] {
  std::array<uint32_t, fingerprint_bits / 2> bits{};
  for (uint32_t i = 0; i < bits.size(); ++i) bits[i] = uint32_t{1} << i;
  return bits;
}();

KITH_TARGET inline void simhash_sums(const WeightedFeature* features, size_t n, uint32_t* sums) {
  constexpr int vectors = fingerprint_bits / width;
  U32s bit[vectors / 2];
  U32s sum[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    bit[v % (vectors / 2)] = load<U32s>(&bits_of_half[v % (vectors / 2) * width]);
    sum[v] = load<U32s>(sums + v * width);
  }
  for (size_t i = 0; i < n; ++i) {
    const uint64_t mixed = mix_feature(features[i].hash);
    const uint32_t halves[2] = {static_cast<uint32_t>(mixed), static_cast<uint32_t>(mixed >> 32)};
    const U32s weight = U32s{} + features[i].weight;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const U32s mine = bit[v % (vectors / 2)];
      sum[v] = add_where((halves[v / (vectors / 2)] & mine) == mine, sum[v], weight);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) store(sums + v * width, sum[v]);
}

}  // namespace
}  // namespace kith::sketch
