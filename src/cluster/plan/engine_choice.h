// Which engine: what the exact one and the LSH one would cost (docs/algorithms/lsh.md).
#pragma once

#include <cstdint>
#include <optional>

#include "kith/options.h"

#include "cluster/plan/table_costs.h"
#include "evaluate/brute_force.h"
#include "sketch/bag.h"

namespace kith::cluster {

// What the exact engine costs in one run, join and leader index together, on one thread.
struct ExactCost {
  double postings = 0;  // of sparse terms, to be added to accumulators
  double cells = 0;     // of dense terms: (query, term, bag) triples
  double merges = 0;    // bags compared entry by entry
  double seconds = 0;   // operations times what one takes (table_costs.h)
};

// From document frequencies (counted over at most 100,000 bags), and the terms and similarities of
// the sample that `pairs` was made of. Deterministic.
ExactCost cost_of_exact(const sketch::BagCollection& bags, const evaluate::BruteForceResult& sample,
                        const PairStatistics& pairs, const JobShape& job, double threshold);

// The exact engine finds everything, so EngineChoice::automatic takes it even where tables are
// cheaper, as long as it takes no more than so many seconds of one core.
inline constexpr double bearable_seconds = 120;

// EngineChoice::automatic takes the exact engine when it is bearable or cheaper than the tables;
// another `request` is obeyed. The memory is no argument: it must not change a result.
// `table_seconds` is nothing when no tables reach the recall. Never automatic; lsh only with
// tables, or when requested.
EngineChoice choose_engine(const ExactCost& exact, std::optional<double> table_seconds,
                           EngineChoice request);

}  // namespace kith::cluster
