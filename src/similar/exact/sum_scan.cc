#include "similar/exact/sum_scan.h"

#if KITH_X86_KERNELS
#include <immintrin.h>
#endif

namespace kith::similar {
namespace {

size_t next_scalar(std::span<const uint16_t> sums, size_t from, uint16_t cutoff) {
  while (from < sums.size() && !any_at_least(sums.data() + from, cutoff)) from += sum_group;
  return from;
}

#if KITH_X86_KERNELS
__attribute__((target("avx2"))) size_t next_avx2(std::span<const uint16_t> sums, size_t from,
                                                 uint16_t cutoff) {
  const __m256i cutoffs = _mm256_set1_epi16(static_cast<short>(cutoff));
  for (; from < sums.size(); from += sum_group) {
    const auto* const group = reinterpret_cast<const __m256i*>(sums.data() + from);
    const __m256i largest = _mm256_max_epu16(
        _mm256_max_epu16(_mm256_loadu_si256(group), _mm256_loadu_si256(group + 1)),
        _mm256_max_epu16(_mm256_loadu_si256(group + 2), _mm256_loadu_si256(group + 3)));
    // max(x, bar) == x says x >= bar.
    const __m256i reached = _mm256_cmpeq_epi16(_mm256_max_epu16(largest, cutoffs), largest);
    if (_mm256_movemask_epi8(reached) != 0) break;
  }
  return from;
}
#endif

}  // namespace

size_t next_group_at_least(std::span<const uint16_t> sums, size_t from, uint16_t cutoff,
                           sketch::SimdLevel level) {
#if KITH_X86_KERNELS
  if (level >= sketch::SimdLevel::avx2) return next_avx2(sums, from, cutoff);
#endif
  static_cast<void>(level);
  return next_scalar(sums, from, cutoff);
}

}  // namespace kith::similar
