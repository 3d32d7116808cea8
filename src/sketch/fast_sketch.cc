#include "sketch/fast_sketch.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/hash.h"

namespace kith::internal {
namespace {

constexpr uint32_t max_bins = 1024;
constexpr uint64_t golden = 0x9e3779b97f4a7c15;  // as in SplitMix64
constexpr uint64_t empty = ~uint64_t{0};

// The round in which a bin was won above the hash by which: the smallest wins.
constexpr uint64_t ranked(uint32_t round, uint64_t hash) {
  return uint64_t{round} << 32 | static_cast<uint32_t>(hash);
}

// A number below n from the high half of a hash.
constexpr uint32_t below(uint32_t n, uint64_t hash) {
  return static_cast<uint32_t>(((hash >> 32) * n) >> 32);
}

}  // namespace

// Round i < m throws every element into one bin at random, round m + b into bin b; a bin that an
// earlier round has filled is lost to later ones, so the rounds end when all are filled. From n
// = m ln m elements on the first round usually fills them all.
void FastSketch::sketch(std::span<const uint64_t> elements, uint32_t* values) const {
  std::array<uint64_t, max_bins> bins;
  std::fill_n(bins.begin(), bins_, empty);
  bool has_empty = true;
  for (uint32_t round = 0; has_empty; ++round) {
    // Elements are well mixed: multiplication by a random odd number is enough to mix them anew.
    const uint64_t multiplier = mix64(salt_ + round * golden) | 1;
    if (round < bins_) {
      for (const uint64_t element : elements) {
        const uint64_t hash = element * multiplier;
        uint64_t& bin = bins[below(bins_, hash)];
        bin = std::min(bin, ranked(round, hash));
      }
    } else {
      uint64_t& bin = bins[round - bins_];
      for (const uint64_t element : elements) {
        bin = std::min(bin, ranked(round, element * multiplier));
      }
    }
    has_empty = std::find(bins.begin(), bins.begin() + bins_, empty) != bins.begin() + bins_;
  }
  for (uint32_t b = 0; b < bins_; ++b) values[b] = static_cast<uint32_t>(mix64(bins[b]) >> 32);
}

}  // namespace kith::internal
