#include <algorithm>

#include "sketch/kernels/minhash_kernel.h"

namespace kith::internal {
namespace {

void update_half(const uint32_t* multipliers, bool has_sums, std::span<const uint64_t> elements,
                 uint32_t* maxima) {
  for (const uint64_t& element : elements) {
    for (uint32_t lane = 0; lane < half_block; ++lane) {
      const uint32_t product = multipliers[lane] * low_half(element);
      maxima[lane] = std::max(maxima[lane], product);
      if (!has_sums) continue;
      const uint32_t sum = product + high_half(element);
      maxima[half_block + lane] = std::max(maxima[half_block + lane], sum);
    }
  }
}

void update(const uint32_t* multipliers, uint32_t lanes, std::span<const uint64_t> elements,
            uint32_t* maxima) {
  for (uint32_t lane = 0; lane < lanes; lane += 2 * half_block) {
    update_half(multipliers + lane, lane + half_block < lanes, elements, maxima + lane);
  }
}

}  // namespace

const MinHashKernel scalar_minhash = {update};

}  // namespace kith::internal
