// SimHash: 64 bits of a weighted set of features whose Hamming distance tells the angle between
// two such sets (Charikar, Similarity estimation techniques from rounding algorithms, 2002,
// section 3; Manku, Jain, Das Sarma, Detecting near-duplicates for web crawling, 2007, section
// 2). docs/algorithms/simhash.md. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "kith/simhash.h"

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

}  // namespace kith::sketch
