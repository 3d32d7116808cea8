// LSH tables: which lanes make a key, the buckets of equal keys, and how many tables are needed by
// their S-curve, which says how likely two signatures of a similarity meet.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "sketch/signature.h"

namespace kith::sketch {

// Runs of equal keys in a sorted list of (key, id) entries: the buckets of one table.

// The number of entries at the front of `sorted` that share its first key; 0 when it is empty.
// Entry has a member `key`; the list is sorted, or at least grouped, by it.
template <class Entry>
size_t first_bucket_size(std::span<const Entry> sorted) {
  size_t size = 0;
  while (size < sorted.size() && sorted[size].key == sorted.front().key) ++size;
  return size;
}

// Calls visit(std::span<const Entry>) for every run of equal keys, in order. The runs are
// non-empty, disjoint and cover the list.
template <class Entry, class Visit>
void for_each_bucket(std::span<const Entry> sorted, Visit&& visit) {
  while (!sorted.empty()) {
    const size_t size = first_bucket_size(sorted);
    visit(sorted.first(size));
    sorted = sorted.subspan(size);
  }
}

// LSH tables over signatures: l keys, each of k of the m minima (the paper, section 3.3;
// docs/algorithms/lsh.md). Pure.
inline constexpr uint32_t max_per_key = 8;
inline constexpr uint32_t tables_limit = 1024;

// How the l subsets of k lanes are drawn.
enum class Subsets : uint8_t {
  // floor(m / k) disjoint ones from the lanes in order, as many from the lanes in a random order,
  // and so on. Tables of one order share no lane, so fewer of them find as much.
  disjoint,
  // The paper's: each by itself, all different as long as there are enough (l <= C(m, k)).
  random,
};

struct TableParams {
  uint32_t lanes = 128;  // m, in [1, 1024]
  uint32_t per_key = 2;  // k, in [1, 8]
  uint32_t tables = 40;  // l, in [1, 1024]
  uint64_t seed = 0x6c7368;
  Subsets subsets = Subsets::disjoint;
};

// The l k-subsets of lanes, shared by all signatures. Immutable, thread-safe.
class Tables {
 public:
  // REQUIRES: params in range, per_key <= lanes.
  explicit Tables(const TableParams& params);

  const TableParams& params() const { return params_; }
  // The k lanes of a table, ascending.
  std::span<const uint16_t> subset(uint32_t table) const {
    return std::span(subsets_).subspan(size_t{table} * params_.per_key, params_.per_key);
  }
  // The key of a signature in a table: 64 well-mixed bits that depend on the table and on the
  // k values. Two signatures collide in a table when their keys are equal; for k <= 4 that is
  // exactly when their k values are equal, for larger k up to a chance of 2^-64.
  // REQUIRES: table < params().tables, signature.size() == params().lanes.
  uint64_t key(uint32_t table, std::span<const uint16_t> signature) const;
  // keys[t] = key(t, signature) for all l tables. REQUIRES: keys.size() == params().tables.
  void keys(std::span<const uint16_t> signature, std::span<uint64_t> keys) const;
  // keys[i] = key(first + i, signature): of some tables. REQUIRES: first + keys.size() <= l.
  void keys(uint32_t first, std::span<const uint16_t> signature, std::span<uint64_t> keys) const;

 private:
  TableParams params_;
  uint32_t in_order_ = 0;          // tables at the front whose subsets are the lanes in order
  std::vector<uint16_t> subsets_;  // l rows of k lanes
  std::vector<uint64_t> salts_;    // one per table
};

// R(s): the chance that a pair of similarity s in [0, 1] meets in at least one of the l tables,
// when X ~ Bin(m, s) of the m minima are equal. With disjoint subsets, f(X, n) being the chance
// that none of n disjoint k-subsets lies within X of the m lanes, b = floor(m / k) and l = q b + r:
//   R(s) = E over X of 1 - f(X, b)^q f(X, r),
// which is 1 - (1 - s^k)^l as long as l <= b. With random subsets:
//   R(s) = E over X of 1 - C(N - K, l) / C(N, l), with N = C(m, k), K = C(X, k),
// or 1 wherever K > 0 when l >= N; for l much smaller than N
//   E over X of 1 - (1 - C(X, k) / C(m, k))^l.
double collision_probability(double similarity, const TableParams& params);

// The same where a pair that meets must also have `min_equal` of its m values equal in their low
// `bits` bits (1 to 16), by the similarity or by chance.
double filtered_collision_probability(double similarity, const TableParams& params, uint32_t bits,
                                      uint32_t min_equal);

// Disjoint bands, b bands of r rows: 1 - (1 - s^r)^b (Mining of Massive Datasets, 3.4.2).
double band_collision_probability(double similarity, uint32_t bands, uint32_t rows);

// How far the S-curve R is from the ideal step at a threshold t in [0, 1], for similarities
// spread evenly over [0, 1].
struct CurveAreas {
  double false_positive;  // integral of R(s) for s from 0 to t
  double false_negative;  // integral of 1 - R(s) for s from t to 1
};
CurveAreas curve_areas(double threshold, const TableParams& params);

// For every k in [1, 8], ascending, the fewest tables of disjoint subsets that reach R(similarity)
// >= recall, where at most max_tables do: the choices among which costs decide
// (cluster/plan/similarity_plan.h). Never empty. lanes in [1, 1024], max_tables in [1, 1024]. Error
// (usage) when an argument is out of range (similarity and recall must lie inside (0, 1)) or no k
// reaches the recall; the message then names the best that can be had.
Result<std::vector<TableParams>> table_choices(double similarity, double recall, uint32_t lanes,
                                               uint32_t max_tables, uint64_t seed);

// Of these the one with the largest k: the most selective keys that max_tables can pay for.
Result<TableParams> choose_tables(double similarity, double recall, uint32_t lanes,
                                  uint32_t max_tables, uint64_t seed);

// The subsets of LSH tables as bit masks: in which tables do two signatures meet, when it is
// known in which lanes they are equal? Pure.

// Bit i of word i / 64 stands for lane i. Immutable, thread-safe.
class SubsetMasks {
 public:
  explicit SubsetMasks(const Tables& tables);

  // The words of a mask of all lanes.
  size_t words() const { return words_; }
  uint32_t tables() const { return tables_; }
  // Whether all lanes of the table are in `equal`. REQUIRES: equal.size() == words().
  bool within(uint32_t table, std::span<const uint64_t> equal) const;
  // The first table in [begin, end) all of whose lanes are in `equal`; `end` if there is none.
  // All-pairs emits a pair in the first table in which it meets, and so once.
  uint32_t first_within(std::span<const uint64_t> equal, uint32_t begin, uint32_t end) const;

 private:
  size_t words_;
  uint32_t tables_;
  std::vector<uint64_t> masks_;  // by word, then by table: tables stand side by side
};

// S-curves: how likely two signatures of a similarity meet.

// What S-curves of tables and of bands have in common.

// 1 - (1 - p)^n, accurate for small p.
inline double any_of(double p, double n) {
  return p >= 1.0 ? 1.0 : -std::expm1(n * std::log1p(-p));
}

// The integral of f over [from, to] by Simpson's rule. S-curves are polynomials whose steepest rise
// spans several of these steps: the error is far below what a plot or a table shows.
template <class Function>
double integral(double from, double to, const Function& f) {
  constexpr int steps = 256;
  const double width = (to - from) / steps;
  double sum = f(from) + f(to);
  for (int i = 1; i < steps; ++i) sum += (i % 2 == 1 ? 4.0 : 2.0) * f(from + i * width);
  return sum * width / 3.0;
}

// A share with two decimals, rounded down: what does not reach a request must not look as if it
// did. An error of the last bits does not count.
inline double two_decimals(double share) {
  return std::floor(100 * share + 1e-9) / 100;
}

// Error (usage) unless similarity and recall lie inside (0, 1) and lanes in [1, 1024].
Status check_request(double similarity, double recall, uint32_t lanes);

}  // namespace kith::sketch
