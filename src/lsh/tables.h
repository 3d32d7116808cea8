// LSH tables over signatures: l keys, each of k of the m minima (the paper, section 3.3;
// DESIGN.md section 2, "LSH tables"). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "sketch/signature.h"

namespace kith::lsh {

struct TableParams {
  uint32_t lanes = 128;   // m
  uint32_t per_key = 2;   // k, in [1, 8]
  uint32_t tables = 40;   // l, in [1, 1024]
  uint64_t seed = 0x6c7368;
};

// The l random k-subsets of lanes, shared by all signatures. Immutable, thread-safe.
class Tables {
 public:
  // REQUIRES: params in range, per_key <= lanes.
  explicit Tables(const TableParams& params);

  const TableParams& params() const { return params_; }
  // The k lanes of a table, ascending.
  std::span<const uint16_t> subset(uint32_t table) const;
  // The key of a signature in a table: 64 well-mixed bits that depend on the table and on the
  // k values. Two signatures collide in a table when their keys are equal.
  uint64_t key(uint32_t table, std::span<const uint16_t> signature) const;
  // keys[t] = key(t, signature) for all l tables. REQUIRES: keys.size() == params().tables.
  void keys(std::span<const uint16_t> signature, std::span<uint64_t> keys) const;
  // The first table in which two signatures collide, or params().tables when none: the rule by
  // which all-pairs emits every pair once.
  uint32_t first_collision(std::span<const uint16_t> a, std::span<const uint16_t> b) const;

 private:
  TableParams params_;
  std::vector<uint16_t> subsets_;  // l rows of k lanes
};

// R(s): the chance that a pair of similarity s in [0, 1] meets in at least one of l tables of
// random k-subsets of the same m minima:
//   R(s) = E over X ~ Bin(m, s) of 1 - (1 - C(X, k) / C(m, k))^l.
double collision_probability(double similarity, const TableParams& params);

// 1 - (1 - s^k)^l, which holds only for independent minima; for comparison.
double independent_collision_probability(double similarity, const TableParams& params);

// Disjoint bands, b bands of r rows: 1 - (1 - s^r)^b (Mining of Massive Datasets, 3.4.2).
double band_collision_probability(double similarity, uint32_t bands, uint32_t rows);

// The fewest tables of each k that reach R(similarity) >= recall, and of those k the largest
// whose l is at most max_tables: the most selective keys that the tables can pay for.
// Error (usage) when similarity or recall is outside (0, 1) or no k reaches the recall; the
// message names the best that can be had.
Result<TableParams> choose_tables(double similarity, double recall, uint32_t lanes,
                                  uint32_t max_tables, uint64_t seed);

}  // namespace kith::lsh
