// Choosing LSH parameters, and what the choice promises (docs/algorithms/lsh.md).
#pragma once

#include <cstdint>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

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

// An error of kind usage unless there are such tables: lanes in [1, 1024], keys of 1 to 8 of them,
// and 1 to 1024 tables.
Status validate(const TablePlan& plan);

// R(s), the chance that a pair of similarity s meets in at least one table. For this function and
// those of the same name below a similarity outside of [0, 1] is the nearest inside. NaN for one
// that is NaN, and for a plan that is not valid.
double recall_at(const TablePlan& plan, double similarity);

// For near-duplicates: b disjoint bands of r minima each (Mining of Massive Datasets, 3.4.2).
struct BandPlan {
  uint32_t lanes = 128;  // m; b r of them are used
  uint32_t rows = 0;     // r
  uint32_t bands = 0;    // b
  double recall = 0;     // 1 - (1 - s^r)^b at the resemblance that was asked for
  double false_negatives = 0;
  double false_positives = 0;
};

// For each r, ascending, the fewest bands that reach `recall` at the resemblance, where m minima
// are enough; never empty. Errors as of plan_all_tables.
Result<std::vector<BandPlan>> plan_all_bands(double resemblance, double recall, uint32_t lanes);

// Of these the one with the smallest area of false positives.
Result<BandPlan> plan_bands(double resemblance, double recall, uint32_t lanes);

double recall_at(const BandPlan& plan, double resemblance);

// Documents meet when at least `least` of `groups` super-shingles are equal (Broder 2000: 2 of 6 of
// 14 minima).
struct SuperShinglePlan {
  uint32_t minima = 0;  // s, of a super-shingle
  uint32_t groups = 0;
  uint32_t least = 0;
  double recall = 0;
  double false_negatives = 0;
  double false_positives = 0;
};

// For each s, ascending, with groups s <= lanes, that reaches the recall; never empty, and the last
// one has the fewest false positives. Errors as above; groups in [1, 1024], least in [1, groups].
Result<std::vector<SuperShinglePlan>> plan_all_super_shingles(double resemblance, double recall,
                                                              uint32_t lanes, uint32_t groups,
                                                              uint32_t least);

double recall_at(const SuperShinglePlan& plan, double resemblance);

// Pairs of SimHash fingerprints of up to `distance` differing bits, as the chance of the cosine
// similarity of their documents says.
struct FingerprintPlan {
  uint32_t distance = 0;  // k, [0, 7]
  double recall = 0;      // P(Bin(64, arccos(s) / pi) <= k) at the cosine that was asked for
  double false_negatives = 0;
  double false_positives = 0;
};

// For k = 0 to 7. Error (usage) unless the cosine is inside (0, 1).
Result<std::vector<FingerprintPlan>> plan_all_fingerprints(double cosine);

double recall_at(const FingerprintPlan& plan, double cosine);

// Permuted tables that find every pair of up to k differing bits (Manku, Jain, Das Sarma 2007).
struct FingerprintTables {
  uint32_t distance = 0;    // k
  uint32_t outer = 0;       // blocks that the 64 bits are cut into
  uint32_t inner = 0;       // and what is left again, on two levels; 0: one level
  uint32_t tables = 0;      // probes of a query; 8 bytes per document each
  uint32_t min_prefix = 0;  // bits
  uint32_t max_prefix = 0;
  double candidates = 0;   // that a query compares, of random fingerprints
  double nanoseconds = 0;  // of a query, estimated
};

// The designs of up to 64 tables, by their number. distance in [0, 7]; error (usage) else.
Result<std::vector<FingerprintTables>> plan_all_fingerprint_tables(uint64_t documents,
                                                                   uint32_t distance);

// Of those of at most max_tables the one with the fastest query; an error names the fewest tables.
Result<FingerprintTables> plan_fingerprint_tables(uint64_t documents, uint32_t distance,
                                                  uint32_t max_tables);

}  // namespace kith

#pragma GCC visibility pop
