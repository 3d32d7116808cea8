#include "sketch/mod_sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace kith::sketch {
namespace {

bool stays(uint64_t element, uint32_t level) {
  return (element & ((uint64_t{1} << level) - 1)) == 0;
}

// V_level of a sketch whose level is no higher, as an overlap counts it.
uint64_t size_at(const ModSketch& sketch, uint32_t level) {
  return static_cast<uint64_t>(
      std::ranges::count_if(sketch.values, [&](uint64_t value) { return stays(value, level); }));
}

uint64_t common_at(HashSet a, HashSet b, uint32_t level) {
  uint64_t common = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint64_t x = a[i];
    const uint64_t y = b[j];
    common += x == y && stays(x, level);
    i += x <= y;
    j += y <= x;
  }
  return common;
}

}  // namespace

ModSketch mod_sketch(HashSet elements) {
  // zeros[i]: elements with exactly i low bits zero.
  std::array<size_t, ModSketch::max_level + 1> zeros = {};
  for (const uint64_t element : elements) {
    ++zeros[std::min<size_t>(static_cast<size_t>(std::countr_zero(element)), ModSketch::max_level)];
  }
  ModSketch sketch;
  size_t left = elements.size();
  while (left > ModSketch::max_values && sketch.level < ModSketch::max_level) {
    left -= zeros[sketch.level++];
  }
  sketch.values.reserve(left);
  std::ranges::copy_if(elements, std::back_inserter(sketch.values),
                       [&](uint64_t element) { return stays(element, sketch.level); });
  return sketch;
}

ModEstimate estimate_overlap(const ModSketch& a, const ModSketch& b, double confidence) {
  const uint32_t level = std::max(a.level, b.level);
  const uint64_t in_a = size_at(a, level);
  const uint64_t in_b = size_at(b, level);
  const uint64_t common = common_at(a.values, b.values, level);
  const auto share = [&](uint64_t whole) {
    return level == 0 ? known_share(common, whole) : share_bounds(common, whole, confidence);
  };
  return {share(in_a + in_b - common), share(in_a), share(in_b)};
}

}  // namespace kith::sketch
