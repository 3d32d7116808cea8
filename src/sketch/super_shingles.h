// Super-shingles: s minima of a signature as one value (Broder et al. 1997; Broder,
// "Identifying and filtering near-duplicate documents", 2000; docs/algorithms/near-duplicates.md).
// Bands of LSH (sketch/lsh/bands.h) are the same. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "sketch/estimate.h"

namespace kith::sketch {

// keys[i] tells, in 64 well-mixed bits, the values [g s, (g + 1) s) of a signature and g = first +
// i: two signatures have the same super-shingle g when these values are equal, else with a chance
// of 2^-64, and super-shingles of different numbers meet with that chance too. Values that make no
// whole super-shingle are not used. Fixed for ever. REQUIRES: s > 0, (first + keys.size()) * s <=
// signature.size().
void super_shingles(std::span<const uint16_t> signature, uint32_t s, uint32_t first,
                    std::span<uint64_t> keys);

// The chance that documents of a resemblance in [0, 1] share a given super-shingle of s > 0 minima
// of 16 bits: (r + (1 - r) 2^-16)^s.
double super_shingle_probability(double resemblance, uint32_t s);

// And that they share at least `least` of `groups`, which are as good as independent (Broder 2000:
// 2 of 6 of 14 minima).
double shared_super_shingles_probability(double resemblance, uint32_t s, uint32_t groups,
                                         uint32_t least);

// The resemblance at which `equal` of `groups` super-shingles are expected, with bounds.
// REQUIRES: equal <= groups, groups > 0, s > 0, confidence in (0, 1).
Estimate estimate_from_super_shingles(uint32_t equal, uint32_t groups, uint32_t s,
                                      double confidence);

}  // namespace kith::sketch
