// S-curves of the other ways to find near-duplicates: super-shingles and fingerprints
// (docs/algorithms/near-duplicates.md, simhash.md). Bands have theirs in sketch/lsh/bands.h. Pure.
#pragma once

#include <cstdint>

#include "sketch/lsh/tables.h"

namespace kith::sketch {

// Documents are candidates when at least `least` of their `groups` super-shingles of `minima`
// minima agree: sketch/super_shingles.h has the chance. Its integral below a threshold in [0, 1],
// and of what it lacks above. REQUIRES: minima > 0, 0 < least <= groups.
CurveAreas super_shingle_curve_areas(double threshold, uint32_t minima, uint32_t groups,
                                     uint32_t least);

// The chance that the SimHash fingerprints of documents of a cosine similarity in [0, 1] differ in
// at most `distance` of 64 bits: P(X <= distance), X ~ Bin(64, arccos(cosine) / pi) (Charikar
// 2002, section 3). Permuted tables find every such pair.
double near_fingerprint_probability(double cosine, uint32_t distance);

// And its areas, over cosines spread evenly over [0, 1].
CurveAreas near_fingerprint_curve_areas(double threshold, uint32_t distance);

}  // namespace kith::sketch
