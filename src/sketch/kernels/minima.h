// The inner loops of the sketcher: what all SIMD levels share. Internal to src/sketch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sketch/bag.h"

namespace kith::sketch {

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

}  // namespace kith::sketch
