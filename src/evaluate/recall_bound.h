// How sure a measured recall is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sketch/estimate.h"

namespace kith::evaluate {

// The upper bound, of confidence 0.95, of the mean share that is found of what there is for a
// query, by the sum of these shares over so many sampled queries; 1 for none. What there is for one
// query is found or lost together, so queries are what is drawn: their shares spread less than hits
// and misses of the same mean would (Clopper and Pearson's bound is then on the safe side).
inline double recall_upper_bound(double sum_of_shares, uint64_t queries) {
  constexpr double both_sides = 0.9;
  if (queries == 0) return 1;
  const auto hits = static_cast<uint64_t>(std::ceil(sum_of_shares));
  return sketch::share_bounds(std::min(hits, queries), queries, both_sides).upper;
}

}  // namespace kith::evaluate
