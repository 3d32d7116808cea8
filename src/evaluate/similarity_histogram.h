// How often each similarity occurs, finely enough for its powers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sketch/bag.h"

namespace kith::evaluate {

// Sums of minima A in bins of equal ratio: 16 to every doubling. Most pairs of a crawl have a
// similarity of a few thousandths, and the collisions of LSH tables follow its powers: bins of
// equal width would hold all that decides in the first of them. A power s^k, k <= 8, averaged over
// the bins is off by about one percent.
class SimilarityHistogram {
 public:
  static constexpr uint32_t per_doubling = 16;
  // Bin 0 is for sums below 256 (a similarity of 2e-5); the last one for bag_total alone, whose
  // similarity is 1, since bag_total is 25/16 of a power of two.
  static constexpr uint32_t bins = 235;

  // The bin of a sum in [0, bag_total]. A float is exact for these, and has the exponent and the
  // first bits of the mantissa side by side.
  static constexpr uint32_t bin_of(uint32_t sum_of_minima) {
    constexpr uint32_t first = (127 + 8) * per_doubling - 1;
    const auto exact = static_cast<float>(static_cast<int32_t>(sum_of_minima));
    return std::max(std::bit_cast<uint32_t>(exact) >> 19, first) - first;
  }
  // A similarity that stands for those of a bin: that of its middle; 0 for bin 0.
  static double similarity_at(uint32_t bin);

  uint64_t count(uint32_t bin) const { return counts_[bin]; }
  void add(uint32_t sum_of_minima) { add_to_bin(bin_of(sum_of_minima), 1); }
  void add_to_bin(uint32_t bin, uint64_t count) { counts_[bin] += count; }
  // Takes back what add() has counted.
  void remove(uint32_t sum_of_minima) { --counts_[bin_of(sum_of_minima)]; }
  friend bool operator==(const SimilarityHistogram&, const SimilarityHistogram&) = default;

 private:
  std::array<uint64_t, bins> counts_{};
};

static_assert(SimilarityHistogram::bin_of(255) == 0 && SimilarityHistogram::bin_of(256) == 1);
static_assert(SimilarityHistogram::bin_of(sketch::bag_total) == SimilarityHistogram::bins - 1 &&
              SimilarityHistogram::bin_of(sketch::bag_total - 1) == SimilarityHistogram::bins - 2);

}  // namespace kith::evaluate
