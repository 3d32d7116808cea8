// MIN_s: the s smallest elements of a set (Broder 1997, theorem 1;
// docs/algorithms/near-duplicates.md). For resemblance. Pure.
#pragma once

#include <cstdint>

#include "sketch/estimate.h"
#include "sketch/set_overlap.h"

namespace kith::sketch {

// Elements are hashes, so their order is a random permutation already: the sketch is the front of
// the set, a view of it. One of fewer than s elements is the whole set. REQUIRES: s > 0.
HashSet min_sketch(HashSet elements, uint32_t s);

// The resemblance of A and B from their sketches for the same s: of the s smallest elements of A u
// B, which the sketches give, the share that is in both. Unbiased; exact, with equal bounds, where
// both sketches are whole sets. REQUIRES: both have at most s elements, confidence in (0, 1).
Estimate estimate_resemblance(HashSet a, HashSet b, uint32_t s, double confidence);

}  // namespace kith::sketch
