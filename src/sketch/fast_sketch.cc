#include "sketch/fast_sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "base/hash.h"

namespace kith::sketch {
namespace {

constexpr uint64_t empty = ~uint64_t{0};  // the rank of a bin that nobody has won

// Throws all elements. The rounds before have lower ranks, and so need no look at what they won.
// By a shift where a power of two permits it: there a multiplication is what takes the time.
template <bool is_power_of_two>
void throw_all(const BinsRound& round, std::span<const uint64_t> elements, uint64_t* ranks) {
  const int shift = 64 - std::countr_zero(round.bins);
#pragma GCC unroll 4
  for (const uint64_t element : elements) {
    const uint64_t hash = element * round.multiplier;
    uint64_t& rank = ranks[is_power_of_two ? hash >> shift : bin_of(round, hash)];
    rank = std::min(rank, rank_of(round, hash));
  }
}

void throw_all(const BinsRound& round, std::span<const uint64_t> elements, uint64_t* ranks) {
  if (round.bins > 1 && std::has_single_bit(round.bins)) {
    throw_all<true>(round, elements, ranks);
  } else {
    throw_all<false>(round, elements, ranks);
  }
}

// Writes the empty bins from `first` on, and returns their number. Without a branch on what is
// empty: it would be guessed wrong for each of them.
size_t list_empty(const uint64_t* ranks, uint32_t first, uint32_t bins, uint16_t* out) {
  size_t count = 0;
  for (uint32_t b = first; b < bins; ++b) {
    out[count] = static_cast<uint16_t>(b);
    count += ranks[b] == empty ? 1 : 0;
  }
  return count;
}

}  // namespace

BinsRound FastSketch::round(uint32_t number) const {
  // Elements are well mixed: multiplication by a random odd number is enough to mix them anew.
  return {mix64(salt_ + number * golden) | 1, uint64_t{number} << 32, bins_};
}

// Round i < m throws every element into one bin at random, round m + b into bin b; a bin that an
// earlier round has filled is lost to later ones, so the rounds end when all are filled. From n
// = m ln m elements on the first round usually fills them all.
void FastSketch::sketch(std::span<const uint64_t> elements, uint32_t* values) const {
  std::array<uint64_t, max_bins> ranks;
  std::fill_n(ranks.begin(), bins_, empty);
  fill(elements, ranks.data());
  kernels_.tell(ranks.data(), bins_, values);
}

// After r rounds of n elements a share of e^(-r n / m) of the bins is empty. Where these are few
// and the elements many it pays to list them.
void FastSketch::fill(std::span<const uint64_t> elements, uint64_t* ranks) const {
  std::array<uint16_t, max_bins> open;
  const bool is_many = elements.size() >= bins_ / 2;
  uint32_t first = 0;  // the bins before are filled
  size_t thrown = 0;
  for (uint32_t number = 0; number < bins_; ++number) {
    size_t open_count = bins_;
    if (is_many && thrown >= 2 * size_t{bins_}) {
      open_count = list_empty(ranks, first, bins_, open.data());
      if (open_count == 0) return;
    }
    if (open_count <= few_bins) {
      kernels_.fill_few(round(number), elements, std::span(open).first(open_count), ranks);
    } else {
      throw_all(round(number), elements, ranks);
    }
    thrown += elements.size();
    while (first < bins_ && ranks[first] != empty) ++first;
    if (first == bins_) return;
  }
  fill_rest(elements, first, ranks);
}

void FastSketch::fill_rest(std::span<const uint64_t> elements, uint32_t first,
                           uint64_t* ranks) const {
  for (uint32_t b = first; b < bins_; ++b) {
    if (ranks[b] != empty) continue;
    const BinsRound own = round(bins_ + b);
    for (const uint64_t element : elements) {
      ranks[b] = std::min(ranks[b], rank_of(own, element * own.multiplier));
    }
  }
}

}  // namespace kith::sketch
