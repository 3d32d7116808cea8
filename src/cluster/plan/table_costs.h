// How many minima per key, and how many tables: by what they would cost (docs/algorithms/lsh.md,
// "Choosing k and l").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "cluster/plan/bucket_sample.h"
#include "cluster/plan/pair_statistics.h"
#include "sketch/lsh/tables.h"

namespace kith::cluster {

// What the cost of a run depends on beside the similarities.
struct JobShape {
  uint64_t distinct_bags = 0;  // representatives, which both engines work on
  double entries_per_bag = 0;
  uint32_t top = 20;       // K
  bool sorts_mass = true;  // the scan order is by LSH mass, which sorts all keys once more
  Meetings meetings{};     // what a bag meets in a table, by k
};

// What keys of k minima in l tables cost in one run, joins and leader index together, on one
// thread.
struct TableCost : TablesReport {
  sketch::TableParams params;
};

double expected_leaders(const PairStatistics& pairs, const JobShape& job, double threshold);

// `leaders` is expected_leaders() at the threshold.
TableCost cost_of_tables(const PairStatistics& pairs, const JobShape& job, double threshold,
                         double leaders, const sketch::TableParams& tables);

struct TableRequest {
  double threshold = 0.2;  // (0, 1]
  bool may_rise = false;   // the threshold may be raised to what is affordable
  double recall = 0.9;     // at the threshold, (0, 1)
  uint32_t lanes = 128;
  uint32_t max_tables = 512;
  uint64_t seed = 1;
};

struct TableChoice {
  double threshold = 0;  // at least the one requested
  double leaders = 0;    // expected at this threshold
  // One a k that reaches the recall, ascending; not empty. Those whose buckets are split too often
  // (max_split) are left out, unless all are: then the one where they are least is here.
  std::vector<TableCost> considered;
  size_t chosen = 0;  // index of the cheapest

  const TableCost& best() const { return considered[chosen]; }
};

// What tables may cost before an automatic threshold gives way: two minutes, or half a millisecond
// a bag if that is more.
double affordable_seconds(const JobShape& job);

// The cheapest tables that reach the recall at the threshold. A threshold that may rise does so in
// steps of 0.01 to the first one that is affordable; when none is, to the first that can be
// reached. Errors of sketch::table_choices(). Deterministic.
Result<TableChoice> choose_table_costs(const PairStatistics& pairs, const JobShape& job,
                                       const TableRequest& request);

}  // namespace kith::cluster
