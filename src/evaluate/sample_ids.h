// Documents drawn at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/rng.h"

namespace kith::evaluate {

// `count` different ones of the ids, ascending; all if there are no more.
inline std::vector<uint32_t> sample_ids(std::span<const uint32_t> ids, uint32_t count,
                                        uint64_t seed) {
  if (ids.size() <= count) return {ids.begin(), ids.end()};
  boost::unordered_flat_set<uint32_t> taken;
  Rng rng(seed);
  while (taken.size() < count) taken.insert(ids[rng.below(ids.size())]);
  std::vector<uint32_t> sampled(taken.begin(), taken.end());
  std::ranges::sort(sampled);
  return sampled;
}

}  // namespace kith::evaluate
