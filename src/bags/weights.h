// From counts to weights (the paper, section 2.2; docs/algorithms/bags.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/options.h"

#include "sketch/bag.h"

namespace kith::bags {

// The factor of a term that stands in df of n bags, df in [1, n]:
//   tf_idf  ln((n + 1) / df): a word in every bag keeps a small weight, so that a crawl of equal
//           pages has bags; elsewhere this is the paper's ln(n / df)
//   nmdf    exp(-(ln df - mu)^2 / (2 sigma^2)), mu = ln(n) / 2, sigma = ln(n) / 5
//   tf      1
// Always > 0.
double term_factor(Weighting weighting, uint64_t df, uint64_t n);

// What a count adds: sqrt(f), or f itself for Weighting::tf.
double count_factor(Weighting weighting, uint32_t count);

struct RealWeight {
  uint32_t term;
  double weight;  // > 0, finite
};

// Scales weights to integers that add up to bag_total exactly. Every entry gets one unit and
// its share of the other units, rounded down; what rounding leaves goes to the largest
// remainders (ties: the earlier entry). Entries keep their order. At most max_terms weights (0 or
// more than 65,536: 65,536): the largest are kept (ties: the earlier) and the number of those
// dropped is returned.
size_t normalise(std::span<const RealWeight> weights, uint32_t max_terms,
                 std::vector<sketch::BagEntry>& bag);

}  // namespace kith::bags
