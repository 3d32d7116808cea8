// Tables for near-duplicates: bands, samples for containment, and their S-curves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "sketch/estimate.h"
#include "sketch/lsh/tables.h"

namespace kith::sketch {

// Binomial numbers in floating point, for the S-curves. Internal to this folder.

// C(n, k) for k <= 8, 0 when k > n; exact below 2^53, else to a few units in the last place.
double binomial_coefficient(uint32_t n, uint32_t k);

// P(X = x) for x = 0 .. n, X ~ Bin(n, p), p in [0, 1].
std::vector<double> binomial_distribution(uint32_t n, double p);

// Disjoint bands: b bands of r successive minima each, in one of which two signatures must agree
// (Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, section 3.4;
// docs/algorithms/near-duplicates.md). Tables (sketch/lsh/tables.h) go on with further orders of
// the lanes. Pure.

inline constexpr uint32_t max_rows = 16;

// Two signatures meet when they are equal in all rows of some band. The chance of it is
// band_collision_probability(similarity, bands, rows) of sketch/lsh/tables.h.
struct BandParams {
  uint32_t bands = 20;                             // b >= 1
  uint32_t rows = 5;                               // r in [1, max_rows]
  uint32_t lanes() const { return bands * rows; }  // of the signature that are used
  friend bool operator==(const BandParams&, const BandParams&) = default;
};

// The integrals of the S-curve below and of what it lacks above a threshold in [0, 1].
CurveAreas band_curve_areas(double threshold, const BandParams& params);

// For every r, ascending, the fewest bands that reach the recall at the similarity, where their
// rows fit `lanes` minima: the choices among which costs may decide. Never empty. lanes in [1,
// 1024]. Error (usage) when an argument is out of range (similarity and recall must lie inside
// (0, 1)) or no r reaches the recall; the message then names the best that can be had.
Result<std::vector<BandParams>> band_choices(double similarity, double recall, uint32_t lanes);

// Of these the one that brings the fewest false positives: the smallest area under the S-curve
// below the similarity; of equal ones that of fewer rows.
Result<BandParams> choose_bands(double similarity, double recall, uint32_t lanes);

// S-curves of the other ways to find near-duplicates: super-shingles and fingerprints
// (docs/algorithms/near-duplicates.md, simhash.md). Those of bands are above. Pure.

// Documents are candidates when at least `least` of their `groups` super-shingles of `minima`
// minima agree: sketch/set_sketches.h has the chance. Its integral below a threshold in [0, 1],
// and of what it lacks above. REQUIRES: minima > 0, 0 < least <= groups.
CurveAreas super_shingle_curve_areas(double threshold, uint32_t minima, uint32_t groups,
                                     uint32_t least);

// The chance that the SimHash fingerprints of documents of a cosine similarity in [0, 1] differ in
// at most `distance` of 64 bits: P(X <= distance), X ~ Bin(64, arccos(cosine) / pi) (Charikar
// 2002, section 3). Permuted tables find every such pair.
double near_fingerprint_probability(double cosine, uint32_t distance);

// And its areas, over cosines spread evenly over [0, 1].
CurveAreas near_fingerprint_curve_areas(double threshold, uint32_t distance);

// Which elements of a set are looked at to find the sets that contain it, and how many of them must
// be found (MOD_m samples: Broder 1997; docs/algorithms/near-duplicates.md). Pure.

// Sets of 2^j to 2^(j+1) - 1 elements are one class, with samples of one level i: the elements that
// 2^i divides. Immutable, thread-safe.
class ContainmentSamples {
 public:
  // similarity: the minimum containment, (0, 1]; recall: the chance, in (0, 1), with which a set of
  // this containment has enough of its samples in the one that contains it.
  ContainmentSamples(double similarity, double recall);

  // Between so many and twice as many samples are expected of every set that is not looked at as a
  // whole: a power of two.
  uint32_t min_samples() const { return min_samples_; }

  // The level i of sets of so many (> 0) elements. Up to 2 min_samples() - 1 of them: 0, all.
  uint32_t level(uint64_t elements) const;

  // Replaces `samples` by the elements that 2^level divides, ascending.
  static void sample(HashSet set, uint32_t level, std::vector<uint64_t>& samples);

  // How many of `samples` (> 0) of a set a set that contains it has, but for a chance of 1 -
  // recall: the largest t with P(Bin(samples, similarity) >= t) >= recall, and 1 at least. Of all
  // elements (level 0) this is exact: the fewest that are a share of the similarity.
  uint32_t min_common(uint32_t samples, uint32_t level) const;

 private:
  uint32_t quantile(uint32_t samples, uint32_t first) const;

  double similarity_;
  double recall_;
  uint32_t min_samples_;
  std::vector<uint32_t> quantiles_;  // by number of samples
};

}  // namespace kith::sketch
