// Choosing LSH parameters, and what the choice promises (DESIGN.md section 2, "LSH tables").
#pragma once

#include <cstdint>
#include <vector>

#include "kith/status.h"

namespace kith {

// l tables, each keyed by k of the same m minima.
struct TablePlan {
  uint32_t lanes = 128;  // m
  uint32_t per_key = 0;  // k
  uint32_t tables = 0;   // l
  double recall = 0;     // R(s) at the similarity that was asked for
  // How far the S-curve is from a step at that similarity, integrated over [0, 1].
  double false_negatives = 0;
  double false_positives = 0;
};

// For each k, ascending, the fewest tables that reach `recall` at `similarity`, where at most
// max_tables do; never empty. `kith cluster` chooses among these by what they would cost on its
// crawl. Errors of kind usage: a value out of range (similarity and recall in (0, 1), lanes a
// multiple of 16 in [16, 1024], max_tables in [1, 1024]), or a recall that cannot be reached; the
// message names the best that can be had.
Result<std::vector<TablePlan>> plan_all_tables(double similarity, double recall, uint32_t lanes,
                                               uint32_t max_tables);

// Of these the one with the most selective keys, the largest k.
Result<TablePlan> plan_tables(double similarity, double recall, uint32_t lanes,
                              uint32_t max_tables);

// R(s), the chance that a pair of similarity s in [0, 1] meets in at least one table.
double recall_at(const TablePlan& plan, double similarity);

}  // namespace kith
