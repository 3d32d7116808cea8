// How far two signatures agree.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace kith::test {

// The number of lanes in which signatures of the same length have the same value.
inline uint32_t equal_values(const std::vector<uint16_t>& a, const std::vector<uint16_t>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0u, std::plus<>(), std::equal_to<>());
}

}  // namespace kith::test
