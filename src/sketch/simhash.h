// SimHash: 64 bits of a weighted set of features whose Hamming distance tells the angle between
// two such sets (Charikar, Similarity estimation techniques from rounding algorithms, 2002,
// section 3; Manku, Jain, Das Sarma, Detecting near-duplicates for web crawling, 2007, section
// 2). docs/algorithms/simhash.md. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kith/sketches.h"

#include "sketch/signature.h"
#include "sketch/simd.h"

namespace kith::sketch {

inline constexpr uint32_t fingerprint_bits = 64;

// A feature, as a hash or as any other number of its own: it is mixed before use.
struct WeightedFeature {
  uint64_t hash;
  uint32_t weight;  // 0: as if it were absent
};

// The fingerprint: bit j is set when the weights of the features whose mixed hash has bit j add up
// to more than half of all weight. At exactly half, bit j is that of a number drawn by the set:
// the feature of the smallest mixed hash, mixed again. (With a fixed rule for such ties, which are
// frequent among few features, strangers would agree in them.) A feature given twice counts with
// the sum of its weights; the order does not matter; without weight the fingerprint is 0. The
// same at every level. Fixed for ever: fingerprints stand in files. Thread-safe.
// REQUIRES: fewer than 2^31 features, level <= best_simd_level().
uint64_t simhash(std::span<const WeightedFeature> features, SimdLevel level = best_simd_level());

// The angle in [0, pi] between two weighted sets, as vectors with one coordinate a feature, from
// the distance of their fingerprints. A bit differs with the chance angle / pi (Charikar 2002,
// section 3), so `value` = pi * distance / 64 is unbiased; `lower` and `upper` are the bounds of
// Clopper and Pearson (1934) for the binomial distribution: each is on the wrong side of the
// truth with a chance of at most (1 - confidence) / 2. The chance is exact for random hyperplanes;
// signs drawn by hashes come near it when no few features carry most of the weight.
// REQUIRES: distance <= 64, confidence in (0, 1).
Estimate estimate_angle(uint32_t distance, double confidence);

// The cosine of that angle: the cosine similarity, from 1 for equal directions to 0 for sets that
// share nothing (weights have no sign, so less is an error of the estimate, and is cut off).
// Bounds as above; `value` is the cosine of an unbiased angle, and not unbiased itself.
Estimate estimate_cosine(uint32_t distance, double confidence);

// Which of many 64-bit fingerprints lie within a Hamming distance, by vectors. Pure.

// Is told of near pairs by their places.
struct NearPairTaker {
  void* context;
  void (*take)(void* context, uint32_t i, uint32_t j);
};

// The same at every level.
struct HammingKernels {
  // Calls the taker once for all places i < j < n with hamming_distance(values[i], values[j]) <=
  // most, in no order that can be relied on. REQUIRES: n < 2^32.
  void (*pairs)(const uint64_t* values, size_t n, uint32_t most, const NearPairTaker& taker);
  // Writes the places, ascending, of those of n values that are within `most` of `value`; returns
  // how many. `places` has room for n. REQUIRES: n < 2^32.
  size_t (*scan)(uint64_t value, const uint64_t* values, size_t n, uint32_t most, uint32_t* places);
};

// The best level of this processor: avx512 stands for AVX512F and AVX512VPOPCNTDQ here.
SimdLevel best_hamming_level();
// REQUIRES: level <= best_hamming_level(). Thread-safe.
const HammingKernels& hamming_kernels(SimdLevel level = best_hamming_level());

}  // namespace kith::sketch
