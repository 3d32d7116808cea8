// Weights in coarse units, which fit 16 bits. Internal to this folder.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sketch/bag.h"

namespace kith::similar {

// One coarse unit is 2^7 of the bag's units: a whole bag has 51200. Rounded up, so that a sum of
// coarse minima is never below the exact sum, and exceeds it by less than one per common term.
inline constexpr uint32_t coarse_shift = 7;
inline constexpr uint32_t coarse_unit = 1u << coarse_shift;
inline constexpr uint32_t coarse_total = sketch::bag_total / coarse_unit;
static_assert(sketch::bag_total % coarse_unit == 0 && coarse_total <= UINT16_MAX);

constexpr uint32_t coarse(uint32_t weight) {
  return std::min((weight + coarse_unit - 1) >> coarse_shift, coarse_total);
}

}  // namespace kith::similar
