#include "topics/nth_greatest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace kith::topics {

// The bits of floats that are not negative are in the order of the values: the first bits are
// counted, and only values that begin with those of the result are sorted.
float nth_greatest(std::span<const float> values, size_t n) {
  const auto first_bits = [](float value) { return std::bit_cast<uint32_t>(value) >> 20; };
  std::array<uint32_t, 1 << 12> count{};
  for (const float value : values) ++count[first_bits(value)];
  size_t key = count.size() - 1;
  for (; count[key] < n; --key) n -= count[key];
  std::vector<float> found;
  found.reserve(count[key]);
  for (const float value : values) {
    if (first_bits(value) == key) found.push_back(value);
  }
  const auto nth = found.begin() + static_cast<ptrdiff_t>(n - 1);
  std::ranges::nth_element(found, nth, std::ranges::greater());
  return *nth;
}

}  // namespace kith::topics
