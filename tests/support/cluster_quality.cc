#include "support/cluster_quality.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace kith::test {
namespace {

double pairs_of(double n) {
  return n * (n - 1) / 2;
}

double n_log_n(double n) {
  return n > 0 ? n * std::log(n) : 0;
}

double ratio_or_one(double part, double whole) {
  return whole > 0 ? part / whole : 1;
}

// What the measures need to know about the groups of a partition.
struct Sums {
  double pairs = 0;    // sum of C(n, 2)
  double n_log_n = 0;  // sum of n ln n
  void add(size_t size) {
    const auto n = static_cast<double>(size);
    pairs += pairs_of(n);
    n_log_n += test::n_log_n(n);
  }
};

// Calls visit(group, size) for every run of equal values of a sorted list.
template <class Visit>
void for_each_run(std::span<const uint64_t> sorted, Visit&& visit) {
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    visit(sorted[begin], end - begin);
    begin = end;
  }
}

Sums sums_of(std::vector<uint64_t> groups) {
  std::ranges::sort(groups);
  Sums sums;
  for_each_run(groups, [&](uint64_t, size_t size) { sums.add(size); });
  return sums;
}

// The number of ids in the most frequent topic of their cluster. cells: cluster << 32 | topic.
size_t count_pure(std::span<const uint64_t> cells) {
  size_t pure = 0;
  size_t most = 0;
  uint64_t current = uint64_t{no_label};
  for_each_run(cells, [&](uint64_t cell, size_t size) {
    if (cell >> 32 != current) {
      pure += most;
      most = 0;
      current = cell >> 32;
    }
    most = std::max(most, size);
  });
  return pure + most;
}

}  // namespace

Quality measure_quality(std::span<const uint32_t> clusters, std::span<const uint32_t> topics) {
  KITH_CHECK(clusters.size() == topics.size());
  std::vector<uint64_t> cells;
  std::vector<uint64_t> rows;
  std::vector<uint64_t> columns;
  for (size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i] == no_label || topics[i] == no_label) continue;
    cells.push_back(uint64_t{clusters[i]} << 32 | topics[i]);
    rows.push_back(clusters[i]);
    columns.push_back(topics[i]);
  }
  std::ranges::sort(cells);

  Quality quality;
  quality.ids = cells.size();
  if (cells.empty()) return quality;
  const auto n = static_cast<double>(cells.size());
  const Sums both = sums_of(cells);
  const Sums row = sums_of(std::move(rows));
  const Sums column = sums_of(std::move(columns));

  const double by_chance = ratio_or_one(row.pairs * column.pairs, pairs_of(n));
  const double at_best = (row.pairs + column.pairs) / 2;
  const bool trivial = at_best == by_chance || n < 2;
  quality.adjusted_rand = trivial ? 1 : (both.pairs - by_chance) / (at_best - by_chance);

  // H = ln n - (sum n_i ln n_i) / n, and I = H(rows) + H(columns) - H(cells).
  const auto entropy = [&](const Sums& sums) { return std::log(n) - sums.n_log_n / n; };
  const double information = entropy(row) + entropy(column) - entropy(both);
  const double mean_entropy = (entropy(row) + entropy(column)) / 2;
  constexpr double rounding = 1e-12;
  quality.normalized_mutual_information =
      mean_entropy > rounding ? std::clamp(information / mean_entropy, 0.0, 1.0) : 1;

  quality.purity = static_cast<double>(count_pure(cells)) / n;
  quality.pairwise_precision = ratio_or_one(both.pairs, row.pairs);
  quality.pairwise_recall = ratio_or_one(both.pairs, column.pairs);
  return quality;
}

}  // namespace kith::test
