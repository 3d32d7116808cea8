// Finding the accumulators that reach a bar. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sketch/simd.h"

namespace kith::similar {

// Accumulators are scanned in groups. An array of them is padded with zeros to a multiple of this.
inline constexpr size_t sum_group = 64;

// One group, compared in a form that a compiler makes vector code of. REQUIRES: sum_group sums.
inline bool any_at_least(const uint16_t* sums, uint16_t cutoff) {
  uint16_t any = 0;
  for (size_t i = 0; i < sum_group; ++i) any |= static_cast<uint16_t>(sums[i] >= cutoff ? 1 : 0);
  return any != 0;
}

// The first index >= from, a multiple of sum_group, at which a group with a sum >= bar begins;
// sums.size() when there is none. REQUIRES: from and sums.size() are multiples of sum_group.
size_t next_group_at_least(std::span<const uint16_t> sums, size_t from, uint16_t cutoff,
                           sketch::SimdLevel level = sketch::best_simd_level());

// Calls visit(slot) for every sum >= bar > 0, ascending, until visit returns false.
template <class Visit>
void for_each_at_least(std::span<const uint16_t> sums, uint32_t cutoff, Visit&& visit) {
  if (cutoff > UINT16_MAX) return;
  const auto least = static_cast<uint16_t>(cutoff);
  for (size_t first = next_group_at_least(sums, 0, least); first < sums.size();
       first = next_group_at_least(sums, first + sum_group, least)) {
    for (size_t slot = first; slot < first + sum_group; ++slot) {
      if (sums[slot] >= cutoff && !visit(static_cast<uint32_t>(slot))) return;
    }
  }
}

}  // namespace kith::similar
