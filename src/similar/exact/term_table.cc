#include "similar/exact/term_table.h"

#include <algorithm>

namespace kith::similar {
namespace {

constexpr auto all_none = [] {
  std::array<uint32_t, 4096> page{};
  page.fill(TermTable::none);
  return page;
}();

}  // namespace

TermTable::Page TermTable::empty_page = all_none;

void TermTable::add_page(size_t page) {
  if (page >= pages_.size()) pages_.resize(page + 1, &empty_page);
  owned_.push_back(std::make_unique<Page>(empty_page));
  pages_[page] = owned_.back().get();
}

}  // namespace kith::similar

#if KITH_X86_KERNELS
#include <immintrin.h>
#endif

namespace kith::similar {
namespace {

// Sums in bytes' units above this would not fit 16 bits as coarse units.
constexpr uint16_t largest_sum = UINT16_MAX / coarse_per_byte;

void add_dense_scalar(const uint8_t* tile, std::span<const DenseTerm> terms, uint16_t* sums) {
  uint16_t bytes[tile_slots] = {};
  for (const DenseTerm term : terms) {
    const uint8_t* const row = tile + term.row * tile_slots;
    for (size_t s = 0; s < tile_slots; ++s) {
      bytes[s] = static_cast<uint16_t>(bytes[s] + std::min(row[s], term.weight));
    }
  }
  for (size_t s = 0; s < tile_slots; ++s) {
    const uint32_t sum = sums[s] + coarse_per_byte * std::min(bytes[s], largest_sum);
    sums[s] = static_cast<uint16_t>(std::min<uint32_t>(sum, UINT16_MAX));
  }
}

#if KITH_X86_KERNELS

__attribute__((target("avx2"), always_inline)) inline __m256i capped(const uint8_t* tile,
                                                                     DenseTerm term,
                                                                     size_t offset) {
  const auto* row = reinterpret_cast<const __m256i*>(tile + term.row * tile_slots + offset);
  return _mm256_min_epu8(_mm256_loadu_si256(row), _mm256_set1_epi8(static_cast<char>(term.weight)));
}

// sums[0, 16) += a.
__attribute__((target("avx2"), always_inline)) inline void add_to(uint16_t* sums, __m256i bytes) {
  auto* place = reinterpret_cast<__m256i*>(sums);
  const __m256i capped_bytes =
      _mm256_min_epu16(bytes, _mm256_set1_epi16(static_cast<short>(largest_sum)));
  static_assert(coarse_per_byte == 16);
  const __m256i coarse = _mm256_slli_epi16(capped_bytes, 4);
  _mm256_storeu_si256(place, _mm256_adds_epu16(_mm256_loadu_si256(place), coarse));
}

// Two vectors of 32 slots at a time stay in registers for all terms. Four terms are added in
// bytes, then widened into 16-bit sums of the even and the odd slots.
__attribute__((target("avx2"))) void add_dense_avx2(const uint8_t* tile,
                                                    std::span<const DenseTerm> terms,
                                                    uint16_t* sums) {
  const __m256i low_bytes = _mm256_set1_epi16(0xff);
  for (size_t offset = 0; offset < tile_slots; offset += 64) {
    __m256i even[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    __m256i odd[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    size_t i = 0;
    const auto widen = [&](size_t half, __m256i bytes)
        __attribute__((target("avx2"), always_inline)) {
      even[half] = _mm256_add_epi16(even[half], _mm256_and_si256(bytes, low_bytes));
      odd[half] = _mm256_add_epi16(odd[half], _mm256_srli_epi16(bytes, 8));
    };
    for (; i + 4 <= terms.size(); i += 4) {
      for (size_t half = 0; half < 2; ++half) {
        const size_t at = offset + 32 * half;
        const __m256i first =
            _mm256_add_epi8(capped(tile, terms[i], at), capped(tile, terms[i + 1], at));
        const __m256i second =
            _mm256_add_epi8(capped(tile, terms[i + 2], at), capped(tile, terms[i + 3], at));
        widen(half, _mm256_add_epi8(first, second));
      }
    }
    for (; i < terms.size(); ++i) {
      for (size_t half = 0; half < 2; ++half)
        widen(half, capped(tile, terms[i], offset + 32 * half));
    }
    for (size_t half = 0; half < 2; ++half) {
      // Back into the order of the slots: interleave, then swap the middle quarters.
      const __m256i low = _mm256_unpacklo_epi16(even[half], odd[half]);
      const __m256i high = _mm256_unpackhi_epi16(even[half], odd[half]);
      uint16_t* const place = sums + offset + 32 * half;
      add_to(place, _mm256_permute2x128_si256(low, high, 0x20));
      add_to(place + 16, _mm256_permute2x128_si256(low, high, 0x31));
    }
  }
}

#endif

}  // namespace

AddDense add_dense_kernel(sketch::SimdLevel level) {
#if KITH_X86_KERNELS
  if (level >= sketch::SimdLevel::avx2) return add_dense_avx2;
#endif
  static_cast<void>(level);
  return add_dense_scalar;
}

}  // namespace kith::similar
