// Which super-shingles `kith dedup` joins by (docs/algorithms/near-duplicates.md).
#pragma once

#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

namespace kith::jobs {

// For every number of minima the fewest super-shingles of which two must be equal, as with Broder
// (2000), that reach options.recall at the similarity and fit options.lanes; by minima, ascending.
// Chosen is what brings the fewest false positives, by kith::plan_all_super_shingles(). Error
// (usage) when none reaches the recall. REQUIRES: options.similarity < 1.
Result<std::vector<DedupSuperShingles>> plan_super_shingles(const DedupOptions& options);

// The chosen one. REQUIRES: made by plan_super_shingles().
const DedupSuperShingles& chosen_of(const std::vector<DedupSuperShingles>& considered);

}  // namespace kith::jobs
