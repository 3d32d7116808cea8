// The slow twin of brute_force().
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluate/brute_force.h"

namespace kith::evaluate {

// The truth about one query, by sum_of_minima() of it with each bag.
inline QueryTruth truth_of(const sketch::BagCollection& bags, uint32_t query,
                           const BruteForceOptions& options) {
  QueryTruth truth;
  truth.id = query;
  const similar::DuplicateGroups* const groups = options.histogram_groups;
  for (uint32_t id = 0; id < bags.size(); ++id) {
    const uint32_t sum = sketch::sum_of_minima(bags[query], bags[id]);
    if (sum > 0 && id != query && options.classes.share(query, id)) {
      truth.nearest.push_back({id, sum});
    }
    if (groups == nullptr || bags[id].empty() || !groups->is_representative(id)) continue;
    if (id != groups->representative[query]) truth.histogram.add(sum);
  }
  for (const similar::Neighbour& found : truth.nearest) {
    if (options.min_sum == 0 || found.sum_of_minima < options.min_sum) continue;
    ++truth.degree;
    if (options.list_similar) truth.similar.push_back(found);
  }
  std::ranges::sort(truth.nearest, similar::nearer);
  if (truth.nearest.size() > options.top) truth.nearest.resize(options.top);
  return truth;
}

inline BruteForceResult brute_force_plain(const sketch::BagCollection& bags,
                                          std::span<const uint32_t> queries,
                                          const BruteForceOptions& options) {
  BruteForceResult result;
  for (const uint32_t query : queries) result.queries.push_back(truth_of(bags, query, options));
  return result;
}

}  // namespace kith::evaluate
