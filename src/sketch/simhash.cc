#include "sketch/simhash.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "sketch/kernels/kernels.h"

namespace kith::sketch {
namespace {

// How many features from the front have a weight together that 32 bits hold; at least one.
size_t fitting(std::span<const WeightedFeature> features) {
  uint64_t sum = 0;
  size_t n = 0;
  while (n < features.size() && (sum += features[n].weight) <= UINT32_MAX) ++n;
  return n;
}

// What ties are decided by.
uint64_t tie_bits(std::span<const WeightedFeature> features) {
  uint64_t least = UINT64_MAX;
  for (const WeightedFeature& feature : features) {
    if (feature.weight > 0) least = std::min(least, mix_feature(feature.hash));
  }
  return mix64(least);
}

}  // namespace

uint64_t simhash(std::span<const WeightedFeature> features, SimdLevel level) {
  const SimhashSums kernel = kernels(level).simhash;
  std::array<uint64_t, fingerprint_bits> sums{};
  uint64_t all = 0;
  for (auto rest = features; !rest.empty();) {
    const auto part = rest.first(fitting(rest));
    std::array<uint32_t, fingerprint_bits> part_sums{};
    kernel(part.data(), part.size(), part_sums.data());
    for (uint32_t j = 0; j < fingerprint_bits; ++j) sums[j] += part_sums[j];
    for (const WeightedFeature& feature : part) all += feature.weight;
    rest = rest.subspan(part.size());
  }
  if (all == 0) return 0;
  uint64_t above = 0;
  uint64_t ties = 0;
  for (uint32_t j = 0; j < fingerprint_bits; ++j) {
    above |= uint64_t{sums[j] > all - sums[j]} << j;
    ties |= uint64_t{sums[j] == all - sums[j]} << j;
  }
  return ties == 0 ? above : above | (ties & tie_bits(features));
}

SimdLevel best_hamming_level() {
#if KITH_X86_KERNELS
  __builtin_cpu_init();
  if (best_simd_level() == SimdLevel::avx512 && __builtin_cpu_supports("avx512vpopcntdq")) {
    return SimdLevel::avx512;
  }
  if (best_simd_level() >= SimdLevel::avx2) return SimdLevel::avx2;
#endif
  return SimdLevel::scalar;
}

const HammingKernels& hamming_kernels(SimdLevel level) {
  KITH_CHECK(level <= best_hamming_level());
  return kernels(level).hamming;
}

}  // namespace kith::sketch
