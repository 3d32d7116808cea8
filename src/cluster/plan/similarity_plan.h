// The plan of a run: which threshold, which engine and which tables (docs/algorithms/lsh.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "cluster/plan/table_costs.h"
#include "evaluate/brute_force.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::cluster {

// --similarity auto: the threshold that suits a crawl.

// How many nearest neighbours of a query are looked at.
inline constexpr uint32_t query_neighbours = 20;

struct ThresholdOptions {
  size_t queries = 200;
  uint64_t seed = 0x666c6f6f72;
  uint32_t wanted_neighbours = 10;  // that the median page should have; at most
                                    // query_neighbours
  double lowest = 0.05;
  double highest = 0.5;
  // Bags of fewer words will be in no cluster (--min-words): they do not count.
  uint32_t min_words = 1;
  // By id, not 0: pages. The median page is to have the neighbours, too. Empty: all are pages.
  std::span<const uint8_t> is_page = {};
  // Neighbours are those of the same class, and bags with too few of them do not count.
  similar::Classes classes = {};
};

struct ThresholdChoice {
  double similarity = 0;  // the threshold: the median, rounded down to fiftieths, then clamped
  double median = 0;      // of the similarity to the wanted_neighbours-th neighbour, as it is
  size_t queries = 0;     // that decided; at most as many as were asked for
  // Over these queries, of the similarity to the 1st, 10th and 20th nearest neighbour; 0 for
  // those with fewer neighbours.
  std::array<Quantiles, 3> ranks{};
  evaluate::BruteForceResult sample;  // with K = query_neighbours, and histograms over `groups`
};

// Brute force over a seeded sample of all bags, and where fewer than half of them are of pages,
// over a sample of pages as well. All bags or those of pages decide, whichever have the lower
// median. With no non-empty bag, the threshold is `highest`. `groups` are the duplicates among the
// bags.
ThresholdChoice choose_threshold(const sketch::BagCollection& bags,
                                 const similar::DuplicateGroups& groups,
                                 const ThresholdOptions& options, ThreadPool& pool);

// Which engine: what the exact one and the LSH one would cost (docs/algorithms/lsh.md).

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

// What "similar" means in a run and how similar URLs are found: the threshold, the engine, the
// tables (docs/algorithms/lsh.md).
struct SimilarityPlan {
  similar::DuplicateGroups groups;
  uint32_t min_sum = 0;  // two URLs are similar when their sum of minima is at least this
  EngineChoice engine = EngineChoice::exact;  // never automatic
  sketch::TableParams tables;                 // meaningful when needs_signatures()
  uint64_t expected_leaders = 0;              // a guess; 0: none
  similar::Classes classes;                   // within which clusters are made
};

// LshJoinOptions::plane_miss of a run: the tables need not find all neighbours that the lists are
// to have, so a stricter count of equal bytes is enough, and pays for the search by rare words and
// for the refinement (docs/algorithms/pairs.md). It does not depend on K.
inline constexpr double pair_plane_miss = 5e-3;

// Whether a run sketches its bags: the LSH engine does, and the scan order by LSH mass.
inline bool needs_signatures(EngineChoice engine, Order order) {
  return engine == EngineChoice::lsh || order == Order::mass;
}
// An error of kind usage when no tables can give what the options ask for: to be known before
// a crawl is read.
Status check_tables(const SimilarityOptions& options);

// Chooses for a new run and enters threshold, engine and duplicates into the report, with reasons.
// Depends on the arguments only. is_page and classes: by id, see ThresholdOptions.
Result<SimilarityPlan> make_plan(const sketch::BagCollection& bags,
                                 std::span<const uint8_t> is_page, const similar::Classes& classes,
                                 const SimilarityOptions& options, ThreadPool& pool,
                                 Report& report);

// The plan of a run whose report is known.
SimilarityPlan plan_of(const sketch::BagCollection& bags, const Report& report, ThreadPool& pool,
                       const similar::Classes& classes = {});

// Seeds of a run's parts, derived from the one the user gives.
sketch::SketchOptions sketch_options(const SimilarityOptions& options);

}  // namespace kith::cluster
