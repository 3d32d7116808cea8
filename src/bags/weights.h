// From counts to weights, and the mean of some bags.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/options.h"

#include "sketch/bag.h"

namespace kith::bags {

// From counts to weights (the paper, section 2.2; docs/algorithms/bags.md).

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

// The weighted mean of bags.

// Adds up bags, each times its share. Sums are integers, so the mean depends on the bags and their
// shares, not on their order. Not thread-safe. Memory: bytes().
class MeanBag {
 public:
  // What the mean of bags takes that have so many entries in all.
  static constexpr uint64_t bytes(uint64_t entries) { return 96 * entries; }

  // share: > 0. All shares of a mean add up to at most 2^30, so that sums are exact as doubles.
  void add(sketch::Bag bag, uint32_t share);

  // Replaces `bag` by the mean of what was added, by ascending term, and starts over: at most
  // max_terms entries, > 0, those of the largest sums (of equal sums the smaller terms), scaled as
  // normalise() does. Empty if no entry was added.
  void take(uint32_t max_terms, std::vector<sketch::BagEntry>& bag);

 private:
  boost::unordered_flat_map<uint32_t, uint64_t> sums_;  // by term
  std::vector<std::pair<uint32_t, uint64_t>> ordered_;
  std::vector<RealWeight> weights_;
};

}  // namespace kith::bags
