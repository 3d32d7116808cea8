// Bags for the sketch tests: weights that add up to bag_total, pairs of a requested overlap.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "sketch/bag.h"

namespace kith::test {

using OwnedBag = std::vector<sketch::BagEntry>;

// Scales positive weights to bag_total; the last word takes what rounding left over.
inline OwnedBag normalised(const std::map<uint32_t, double>& weights) {
  double sum = 0.0;
  for (const auto& [term, weight] : weights) sum += weight;
  OwnedBag bag;
  auto left = sketch::bag_total;
  for (const auto& [term, weight] : weights) {
    const auto words_left = static_cast<uint32_t>(weights.size() - bag.size());
    const auto share = static_cast<uint32_t>(sketch::bag_total * (weight / sum));
    const uint32_t units = words_left == 1 ? left : std::clamp(share, 1u, left - words_left);
    bag.push_back({term, units});
    left -= units;
  }
  return bag;
}

inline double random_weight(Rng& rng) {
  return 0.2 - std::log(1.0 - rng.uniform());
}
inline uint32_t random_term(Rng& rng) {
  return static_cast<uint32_t>(rng() >> 32);
}

inline OwnedBag random_bag(Rng& rng, size_t words) {
  std::map<uint32_t, double> weights;
  while (weights.size() < words) weights[random_term(rng)] = random_weight(rng);
  return normalised(weights);
}

// Two bags of `words` words whose similarity is about the requested one: shared words have nearly
// the same weight in both.
inline std::pair<OwnedBag, OwnedBag> random_pair(Rng& rng, size_t words, double similarity) {
  const double shared = 2.0 * similarity / (1.0 + similarity);
  std::map<uint32_t, double> left;
  std::map<uint32_t, double> right;
  for (size_t i = 0; i < words; ++i) {
    const uint32_t term = random_term(rng);
    const double weight = random_weight(rng);
    left[term] = weight;
    if (rng.uniform() < shared) {
      right[term] = weight * (0.85 + 0.3 * rng.uniform());
    } else {
      right[random_term(rng)] = weight;
    }
  }
  return {normalised(left), normalised(right)};
}

}  // namespace kith::test
