// The kernels in portable C++: for other processors, and the slow twins of those over vectors.
#include <algorithm>

#include "base/hash.h"
#include "sketch/kernels/flatten.h"
#include "sketch/kernels/kernels.h"

namespace kith::sketch {
namespace {

struct Expand {
  static void run(Word word, uint32_t count, uint32_t* out) {
    for (uint32_t i = 0; i < count; ++i) out[i] = mix32(word.start + i * word.stride);
  }
};

size_t fill(const Flattening& flattening, Bag entries, Block& block) {
  return fill_block<Expand>(flattening, entries, block);
}

constexpr uint32_t width = 16;  // lanes that a compiler may keep in vectors over both loops

void update_lanes(const uint32_t* a, const uint32_t* b, const Block& block, uint32_t* minima) {
  for (size_t i = 0; i < block.whole_count; ++i) {
    for (uint32_t lane = 0; lane < width; ++lane) {
      minima[lane] = std::min(minima[lane], a[lane] * block.whole[i] + b[lane]);
    }
  }
  for (size_t i = 0; i < block.partial_count; ++i) {
    for (uint32_t lane = 0; lane < width; ++lane) {
      const uint32_t h = a[lane] * block.partial[i] + b[lane];
      const uint32_t candidate = (h & 0xffff) < block.limits[i] ? h : ~uint32_t{0};
      minima[lane] = std::min(minima[lane], candidate);
    }
  }
}

void update_minima(const LaneHashes& hashes, const Block& block, uint32_t* minima) {
  for (uint32_t lane = 0; lane < hashes.lanes; lane += width) {
    uint32_t least[width];
    std::copy_n(minima + lane, width, least);
    update_lanes(hashes.multiplier + lane, hashes.addend + lane, block, least);
    std::copy_n(least, width, minima + lane);
  }
}

void fold_minima(const uint32_t* minima, uint32_t lanes, uint16_t* signature) {
  std::transform(minima, minima + lanes, signature,
                 [](uint32_t h) { return static_cast<uint16_t>(mix32(h) >> 16); });
}

void update_half(const uint32_t* multipliers, bool has_sums, std::span<const uint64_t> elements,
                 uint32_t* maxima) {
  for (const uint64_t& element : elements) {
    for (uint32_t lane = 0; lane < half_block; ++lane) {
      const uint32_t product = multipliers[lane] * low_half(element);
      maxima[lane] = std::max(maxima[lane], product);
      if (!has_sums) continue;
      const uint32_t sum = product + high_half(element);
      maxima[half_block + lane] = std::max(maxima[half_block + lane], sum);
    }
  }
}

void update_maxima(const uint32_t* multipliers, uint32_t lanes, std::span<const uint64_t> elements,
                   uint32_t* maxima) {
  for (uint32_t lane = 0; lane < lanes; lane += 2 * half_block) {
    update_half(multipliers + lane, lane + half_block < lanes, elements, maxima + lane);
  }
}

void fill_few(const BinsRound& round, std::span<const uint64_t> elements,
              std::span<const uint16_t> /*open*/, uint64_t* ranks) {
  for (const uint64_t element : elements) throw_into_open(round, element, ranks);
}

void tell_winners(const uint64_t* ranks, uint32_t bins, uint32_t* values) {
  for (uint32_t b = 0; b < bins; ++b) values[b] = static_cast<uint32_t>(mix64(ranks[b]) >> 32);
}

size_t select(const uint8_t* row, const uint8_t* rows, size_t size, size_t count, uint32_t least,
              uint32_t* selected) {
  return select_rows(CountWithRow<count_bytes>{row, size}, {rows, size}, count, least, selected);
}

void equal_bits(const uint8_t* a, const uint8_t* b, size_t size, uint64_t* words) {
  equal_bits_from(0, a, b, size, words);
}

// One by one, and so with the places of the near ones at once.
void near_pairs(const uint64_t* values, size_t n, uint32_t most, const NearPairTaker& taker) {
  for (size_t row = 0; row < n; ++row) take_near(values, row, row + 1, n, most, taker);
}

size_t near_places(uint64_t value, const uint64_t* values, size_t n, uint32_t most,
                   uint32_t* places) {
  return add_near(value, values, 0, n, most, places, 0);
}

void simhash_sums(const WeightedFeature* features, size_t n, uint32_t* sums) {
  for (size_t i = 0; i < n; ++i) {
    const uint64_t mixed = mix_feature(features[i].hash);
    for (uint32_t j = 0; j < fingerprint_bits; ++j) {
      sums[j] += (mixed >> j & 1) != 0 ? features[i].weight : 0;
    }
  }
}

}  // namespace

const Kernels scalar_kernels = {
    {fill, update_minima, fold_minima}, update_maxima,
    {fill_few, tell_winners},           {count_bytes, {select, equal_bits}},
    {near_pairs, near_places},          simhash_sums};

}  // namespace kith::sketch
