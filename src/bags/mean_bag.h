// The weighted mean of bags.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "bags/weights.h"
#include "sketch/bag.h"

namespace kith::bags {

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
