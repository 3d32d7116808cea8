// BinsKernels over vectors: see vectors.h. The file of a level has low_halves(), high_halves(),
// even_products() and not_above().
#pragma once

#include "base/hash.h"
#include "sketch/kernels/scalar_kernels.h"
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
}  // namespace kith::sketch
