#include "sketch/compare.h"

#include "base/check.h"

namespace kith {
namespace internal {
namespace {

struct Count {
  static uint32_t run(const uint8_t* a, const uint8_t* b, size_t size) {
    return count_bytes(a, b, size);
  }
};

size_t select(const uint8_t* row, const uint8_t* rows, size_t size, size_t count, uint32_t least,
              uint32_t* selected) {
  return select_rows(CountWithRow<Count>{row, size}, {rows, size}, count, least, selected);
}

void equal_bits(const uint8_t* a, const uint8_t* b, size_t size, uint64_t* words) {
  equal_bits_from(0, a, b, size, words);
}

}  // namespace

const CompareKernel scalar_compare = {Count::run, {select, equal_bits}};

}  // namespace internal

namespace {

const internal::CompareKernel& compare_kernel(SimdLevel level) {
  KITH_CHECK(level <= best_simd_level());
#if KITH_X86_KERNELS
  if (level == SimdLevel::avx512) return internal::avx512_compare;
  if (level == SimdLevel::avx2) return internal::avx2_compare;
#endif
  return internal::scalar_compare;
}

}  // namespace

CountEqualKernel count_equal_kernel(SimdLevel level) {
  return compare_kernel(level).one;
}

const RowKernels& row_kernels(SimdLevel level) {
  return compare_kernel(level).rows;
}

uint32_t count_equal(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  static const CountEqualKernel kernel = count_equal_kernel();
  KITH_CHECK(a.size() == b.size());
  return kernel(a.data(), b.data(), a.size());
}

uint32_t count_equal_scalar(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  KITH_CHECK(a.size() == b.size());
  return internal::count_bytes(a.data(), b.data(), a.size());
}

}  // namespace kith
