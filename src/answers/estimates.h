// What every sketch says about two documents, in a run of `kith dedup` and outside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/compare.h"

#include "sketch/estimate.h"
#include "sketch/simhash.h"

namespace kith::answers {

// What every sketch says about two documents, beside the truth (docs/algorithms/compare.md).

// Of MinHash (both families), its b-bit forms, super-shingles, MIN_s and MOD_m, in that order.
// The options are valid; neither set is empty.
std::vector<SketchEstimate> estimate_overlap_of(sketch::HashSet a, sketch::HashSet b,
                                                const sketch::SetOverlap& overlap,
                                                const CompareOptions& options);

// Everything that follows from the elements of two documents, but the sizes; neither set is empty.
// REQUIRES: the options of the comparison are set.
void compare_elements(sketch::HashSet a, sketch::HashSet b, ShingleComparison& comparison);

// Of SimHash, from the distance of two fingerprints.
SketchEstimate estimate_cosine_of(uint32_t distance, Measure measure, double exact,
                                  double confidence);

// Of the signature of weighted bags, from `equal` of `lanes` values.
SketchEstimate estimate_bag_similarity(uint32_t equal, uint32_t lanes, double exact,
                                       double confidence);

// The number of values that are equal at equal positions, of signatures of the same size.
uint32_t equal_values(std::span<const uint16_t> a, std::span<const uint16_t> b);

}  // namespace kith::answers
