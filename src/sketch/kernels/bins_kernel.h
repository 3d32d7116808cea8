// The inner loops of FastSketch that SIMD levels have of their own. Internal to src/sketch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kith::sketch {

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

}  // namespace kith::sketch
