// Estimates with bounds: what sketches say about a similarity (docs/algorithms/sketch.md).
//
//   const auto estimate = kith::estimate_similarity(signature_a, signature_b);
//   if (estimate && estimate->lower > 0.8) ...
#pragma once

#include <cstdint>
#include <span>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

struct Estimate {
  double lower;  // the truth lies below it with a probability of at most (1 - confidence) / 2
  double value;
  double upper;  // and above it likewise
};

// All of these are thread-safe and depend on their arguments only. An error of kind usage:
// confidence outside of (0, 1).

// The resemblance of two sets from their signatures by MinHasher, or the similarity of two weighted
// bags from theirs by BagSketcher: the share of equal lanes, corrected for lanes that agree by
// chance, with the bounds of Clopper and Pearson (1934). Another error of kind usage: the
// signatures are empty or of different lengths. Signatures of different seeds say nothing about
// each other.
Result<Estimate> estimate_similarity(std::span<const uint16_t> a, std::span<const uint16_t> b,
                                     double confidence = 0.95);

// The cosine of two weighted sets, in [0, 1], from their fingerprints by SimHasher (Charikar 2002).
Result<Estimate> estimate_cosine(uint64_t a, uint64_t b, double confidence);

// A share of which `hits` of `trials` independent draws are a sample, such as a measured recall,
// with the bounds of Clopper and Pearson. Without trials nothing is known: 0, in [0, 1]. Another
// error of kind usage: more hits than trials.
Result<Estimate> estimate_share(uint64_t hits, uint64_t trials, double confidence = 0.95);

}  // namespace kith

#pragma GCC visibility pop
