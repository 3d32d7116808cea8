// Dithered flattening of entries to premixed copies, which all SIMD levels share. Internal to
// this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/hash.h"
#include "sketch/kernels/kernels.h"

namespace kith::sketch {

// A bijection of 32-bit integers with full avalanche (the finaliser of MurmurHash3).
inline constexpr uint32_t mix32_multiplier_1 = 0x85ebca6b;
inline constexpr uint32_t mix32_multiplier_2 = 0xc2b2ae35;
constexpr uint32_t mix32(uint32_t x) {
  x ^= x >> 16;
  x *= mix32_multiplier_1;
  x ^= x >> 13;
  x *= mix32_multiplier_2;
  return x ^ (x >> 16);
}

// A word under one salt: its copy number c (from 0) is mix32(start + c * stride).
struct Word {
  uint32_t start;
  uint32_t stride;  // odd
};

inline Word word_of(uint32_t term, uint64_t salt) {
  const uint64_t mixed = mix64(salt + term * golden);
  return {static_cast<uint32_t>(mixed), static_cast<uint32_t>(mixed >> 32) | 1};
}

// The copies of one entry: weight * S' / S = i + q.
struct Share {
  uint32_t whole;  // i
  uint32_t limit;  // q * 2^16, rounded down
};

inline Share share_of(uint32_t weight, uint32_t copies) {
  const uint64_t scaled = uint64_t{std::min(weight, bag_total)} * copies;
  const uint64_t fixed = (scaled << 16) / bag_total;
  return {static_cast<uint32_t>(fixed >> 16), static_cast<uint32_t>(fixed & 0xffff)};
}

// MinimaKernels::fill for a level whose Expand::run(word, count, out) writes the first `count`
// copies of a word and up to expand_step - 1 more. Always whole steps: a loop that ends where
// the word does costs a misprediction per word. Inlined, so that it takes on the instruction
// set of its caller.
template <class Expand>
[[gnu::always_inline]] inline size_t fill_block(const Flattening& flattening, Bag entries,
                                                Block& block) {
  const size_t most = std::min<size_t>(entries.size(), block_size);
  size_t whole_count = 0;
  size_t partial_count = 0;
  size_t taken = 0;
  for (; taken < most; ++taken) {
    const BagEntry entry = entries[taken];
    const auto [whole, limit] = share_of(entry.weight, flattening.copies);
    if (whole_count + whole > block_size) break;
    Expand::run(word_of(entry.term, flattening.salt), whole + 1, &block.whole[whole_count]);
    whole_count += whole;
    block.partial[partial_count] = block.whole[whole_count];
    block.limits[partial_count] = limit;
    partial_count += limit > 0;
  }
  block.whole_count = whole_count;
  block.partial_count = partial_count;
  return taken;
}

}  // namespace kith::sketch
