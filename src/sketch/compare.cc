#include "base/check.h"
#include "sketch/kernels/kernels.h"
#include "sketch/signature.h"

namespace kith::sketch {

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
