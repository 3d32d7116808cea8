// Resemblance and containment of sets of hashes, exactly (Broder 1997;
// docs/algorithms/near-duplicates.md). Pure.
#pragma once

#include <cstdint>
#include <span>

namespace kith::sketch {

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
