// Which elements of a set are looked at to find the sets that contain it, and how many of them must
// be found (MOD_m samples: Broder 1997; docs/algorithms/near-duplicates.md). Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "sketch/set_overlap.h"

namespace kith::sketch {

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
