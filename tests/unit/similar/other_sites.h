// Hosts of test collections, and the nearest on other hosts by comparing all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "similar/neighbour.h"
#include "similar/sites.h"
#include "sketch/bag.h"

namespace kith::similar {

// First ids of hosts: of two halves, of ranges of all sizes, and of one id each.
inline std::vector<std::vector<uint32_t>> host_layouts(uint32_t ids) {
  std::vector<std::vector<uint32_t>> layouts(3, {0});
  if (ids > 1) layouts[0].push_back(ids / 2);
  std::mt19937 random(7);
  for (uint32_t id = 1; id < ids; ++id) {
    if (random() % 9 == 0 || id < 5) layouts[1].push_back(id);
    layouts[2].push_back(id);
  }
  return layouts;
}

inline std::vector<std::vector<Neighbour>> plain_other_sites(const sketch::BagCollection& bags,
                                                             const std::vector<uint32_t>& first_ids,
                                                             size_t k) {
  const auto host = [&](uint32_t id) { return std::ranges::upper_bound(first_ids, id); };
  std::vector<std::vector<Neighbour>> lists(bags.size());
  for (uint32_t a = 0; a < bags.size(); ++a) {
    for (uint32_t b = 0; b < bags.size(); ++b) {
      const uint32_t sum = host(a) == host(b) ? 0 : sketch::sum_of_minima(bags[a], bags[b]);
      if (sum > 0) lists[a].push_back({b, sum});
    }
    std::ranges::sort(lists[a], nearer);
    lists[a].resize(std::min(lists[a].size(), k));
  }
  return lists;
}

}  // namespace kith::similar
