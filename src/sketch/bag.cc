#include "sketch/bag.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "sketch/kernels/kernels.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"

namespace kith::sketch {

uint32_t sum_of_minima(Bag a, Bag b) {
  return merged_minima(
      a, b, [](BagEntry entry) { return entry.term; }, [](BagEntry entry) { return entry.weight; });
}

uint32_t min_sum_of_minima(double similarity) {
  const double exact = 2.0 * bag_total * similarity / (1.0 + similarity);
  auto least = static_cast<uint32_t>(std::clamp(std::floor(exact), 0.0, double{bag_total}));
  while (least > 0 && similarity_of(least - 1) >= similarity) --least;
  while (least < bag_total && similarity_of(least) < similarity) ++least;
  return least;
}

bool unpack_bag(std::span<const uint64_t> packed, std::span<BagEntry> entries) {
  assert(entries.size() == packed.size());
  uint64_t total = 0;
  uint64_t next_term = 0;
  for (size_t i = 0; i < packed.size(); ++i) {
    const uint64_t entry = packed[i];
    const auto term = static_cast<uint32_t>(entry);
    const auto weight = static_cast<uint32_t>(entry >> 32);
    if (term < next_term || weight == 0) return false;
    next_term = uint64_t{term} + 1;
    total += weight;
    entries[i] = {term, weight};
  }
  return packed.empty() || total == bag_total;
}

CountEqualKernel count_equal_kernel(SimdLevel level) {
  return kernels(level).compare.one;
}

const RowKernels& row_kernels(SimdLevel level) {
  return kernels(level).compare.rows;
}

uint32_t count_equal(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  static const CountEqualKernel kernel = count_equal_kernel();
  KITH_CHECK(a.size() == b.size());
  return kernel(a.data(), b.data(), a.size());
}

uint32_t count_equal_scalar(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  KITH_CHECK(a.size() == b.size());
  return count_bytes(a.data(), b.data(), a.size());
}

uint32_t count_equal(std::span<const uint16_t> a, std::span<const uint16_t> b) {
  KITH_CHECK(a.size() == b.size());
  uint32_t equal = 0;
  for (size_t lane = 0; lane < a.size(); ++lane) equal += a[lane] == b[lane] ? 1 : 0;
  return equal;
}

}  // namespace kith::sketch
