// Estimates with bounds: what every sketch answers, and the overlap of two sets.
#pragma once

#include <cstdint>
#include <span>

#include "kith/sketches.h"

namespace kith::sketch {

// Estimates with bounds: what every sketch answers.

// The share p of which `hits` of `trials` draws are a sample: hits / trials, with the bounds of the
// binomial distribution (Clopper and Pearson 1934). Draws without replacement are spread less, so
// the bounds hold for them too. Without any trials nothing is known: 0, in [0, 1].
// REQUIRES: hits <= trials, confidence in (0, 1), e.g. 0.99.
Estimate share_bounds(uint64_t hits, uint64_t trials, double confidence);

// A share that is known: no doubt is left. 0 where nothing is counted.
Estimate known_share(uint64_t part, uint64_t whole);

// The chance that two different values agree in their low `bits` bits (1 to 16), and the similarity
// at which a share of equal values is expected when such values agree by chance.
double chance_of_agreement(uint32_t bits);
double similarity_at_share(double share, double chance);

// Resemblance and containment of sets of hashes, exactly (Broder 1997;
// docs/algorithms/near-duplicates.md). Pure.

// The elements of a document, e.g. its shingles: hashes of 64 well-mixed bits, ascending, each
// once. A view.
using HashSet = std::span<const uint64_t>;

// Sizes of two sets A and B and of what they share. What is divided by nothing is 0: an empty set
// resembles nothing, not even another empty one.
struct SetOverlap {
  uint64_t a = 0;       // |A|
  uint64_t b = 0;       // |B|
  uint64_t common = 0;  // |A n B|

  // |A n B| / |A u B|, in [0, 1]: the correctly rounded quotient, the same on every machine.
  double resemblance() const { return share(common, a + b - common); }
  // |A n B| / |A|: how much of A is in B. And of B in A.
  double containment_of_a() const { return share(common, a); }
  double containment_of_b() const { return share(common, b); }

 private:
  static double share(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

// Time is linear in the sizes, or in the smaller one times the logarithm of the ratio where one
// set is many times larger.
SetOverlap overlap(HashSet a, HashSet b);

// What a resemblance in [0, 1] of sets of a > 0 and b elements says about the containment
// |A n B| / |A|, and the other way round: |A n B| = r (a + b) / (1 + r). What no
// two sets of these sizes can have is cut to what they can.
double containment_at(double resemblance, uint64_t a, uint64_t b);
double resemblance_at(double containment, uint64_t a, uint64_t b);

}  // namespace kith::sketch
