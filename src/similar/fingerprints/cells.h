// Sorted fingerprints are found by a directory: the places of cells, which are the ranges of equal
// leading bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sketch/simhash.h"

namespace kith::similar {

// About as many values of a directory share a cell.
inline constexpr uint64_t values_per_cell = 16;

// A value without its last `shift` bits; shift may be 64.
inline size_t cell_of(uint64_t value, uint32_t shift) {
  return shift == sketch::fingerprint_bits ? 0 : value >> shift;
}

}  // namespace kith::similar
