// Measures what a run found against the truth about a sample of queries.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "evaluate/brute_force.h"
#include "similar/neighbour.h"

namespace kith::evaluate {

// A count of hits, with what it is a share of.
struct Share {
  uint64_t hits = 0;
  uint64_t of = 0;
  // 1 when there was nothing to hit.
  double value() const {
    return of == 0 ? 1.0 : static_cast<double>(hits) / static_cast<double>(of);
  }
};

struct RecallReport {
  uint64_t queries = 0;
  Share pair_recall;               // true pairs (sum >= min_sum) that were found
  Share pair_precision;            // found pairs that are true, with the exact sum
  Share neighbour_recall;          // of the true K nearest
  Share similar_neighbour_recall;  // of those of them with sum >= min_sum
  Share neighbour_precision;       // of the neighbours given
};

// Appends what the engine found for a query; the order does not matter.
using Found = std::function<void(uint32_t query, std::vector<similar::Neighbour>& out)>;

// A found pair is right if its id is among the true ones with the same sum. A neighbour is right
// if its sum is the true one and at least that of the K-th true neighbour, whichever of the bags
// that tie at rank K it is; no more than K count. `pairs` or `neighbours` may be null: then that
// half stays empty. `truth` was made with the minimum sum and the K of the engine. `sum` gives the
// exact sum of two ids.
RecallReport check_recall(const BruteForceResult& truth, const Found& pairs,
                          const Found& neighbours, uint32_t min_sum,
                          const std::function<uint32_t(uint32_t, uint32_t)>& sum);

}  // namespace kith::evaluate
