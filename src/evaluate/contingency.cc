#include "evaluate/contingency.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kith::evaluate {
namespace {

// Values as numbers from 0, in ascending order of the values.
std::vector<uint32_t> numbered(std::span<const uint32_t> values) {
  std::vector<uint32_t> different(values.begin(), values.end());
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::vector<uint32_t> numbers;
  numbers.reserve(values.size());
  for (const uint32_t value : values) {
    const auto at = std::ranges::lower_bound(different, value);
    numbers.push_back(static_cast<uint32_t>(at - different.begin()));
  }
  return numbers;
}

std::vector<uint64_t> sizes_of(std::span<const uint32_t> numbers) {
  std::vector<uint64_t> sizes;
  for (const uint32_t number : numbers) {
    if (number >= sizes.size()) sizes.resize(number + 1);
    ++sizes[number];
  }
  return sizes;
}

struct SizeCount {
  uint64_t size;
  uint64_t count;  // groups of this size
};

std::vector<SizeCount> different_sizes(std::span<const uint64_t> sizes) {
  std::vector<uint64_t> sorted(sizes.begin(), sizes.end());
  std::ranges::sort(sorted);
  std::vector<SizeCount> counts;
  for (const uint64_t size : sorted) {
    if (counts.empty() || counts.back().size != size) counts.push_back({size, 0});
    ++counts.back().count;
  }
  return counts;
}

// Means over the hypergeometric distribution of x, the items that a cluster of a items and a label
// of b items have in common by chance, of n in all. Its probabilities are taken relative to that of
// the mode: a step to the next x is a quotient of small integers, which is exact to a few units in
// the last place, where differences of lgamma of large numbers lose eight digits.
class CommonByChance {
 public:
  CommonByChance(uint64_t a, uint64_t b, uint64_t n)
      : a_(static_cast<double>(a)),
        b_(static_cast<double>(b)),
        n_(static_cast<double>(n)),
        least_(std::max(0.0, a_ + b_ - n_)),
        most_(std::min(a_, b_)) {}

  // The mean of x/n ln(n x / (a b)).
  double mean_information() const {
    const double mode = std::clamp(std::floor((a_ + 1) * (b_ + 1) / (n_ + 2)), least_, most_);
    double weights = 1;
    double sum = information(mode);
    const auto add = [&](double weight, double x) {
      weights += weight;
      sum += weight * information(x);
    };
    double weight = 1;
    for (double x = mode; x < most_ && weight > negligible; ++x) {
      weight *= ratio(x);
      add(weight, x + 1);
    }
    weight = 1;
    for (double x = mode; x > least_ && weight > negligible; --x) {
      weight /= ratio(x - 1);
      add(weight, x - 1);
    }
    return sum / weights;
  }

 private:
  // Beside 1, the weight of the mode. What is left out adds up to less than rounding does.
  static constexpr double negligible = 1e-30;

  // P(x + 1) / P(x).
  double ratio(double x) const { return (a_ - x) * (b_ - x) / ((x + 1) * (n_ - a_ - b_ + x + 1)); }
  double information(double x) const { return x > 0 ? x / n_ * std::log(n_ / a_ * (x / b_)) : 0; }

  double a_;
  double b_;
  double n_;
  double least_;
  double most_;
};

}  // namespace

Contingency count_cells(std::span<const uint32_t> clusters, std::span<const uint32_t> labels) {
  KITH_CHECK(clusters.size() == labels.size());
  const std::vector<uint32_t> rows = numbered(clusters);
  const std::vector<uint32_t> columns = numbered(labels);
  std::vector<uint64_t> keys;
  keys.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) keys.push_back(uint64_t{rows[i]} << 32 | columns[i]);
  std::ranges::sort(keys);
  Contingency table;
  table.items = rows.size();
  table.rows = sizes_of(rows);
  table.columns = sizes_of(columns);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      table.cells.push_back(
          {static_cast<uint32_t>(keys[i] >> 32), static_cast<uint32_t>(keys[i]), 0});
    }
    ++table.cells.back().items;
  }
  return table;
}

uint64_t count_pairs(std::span<const uint64_t> sizes) {
  uint64_t pairs = 0;
  for (const uint64_t size : sizes) {
    if (size > 0) pairs += size % 2 == 0 ? size / 2 * (size - 1) : (size - 1) / 2 * size;
  }
  return pairs;
}

double mutual_information(const Contingency& table) {
  const auto n = static_cast<double>(table.items);
  double sum = 0;
  for (const Cell& cell : table.cells) {
    const auto common = static_cast<double>(cell.items);
    const auto a = static_cast<double>(table.rows[cell.row]);
    const auto b = static_cast<double>(table.columns[cell.column]);
    sum += common / n * std::log(n / a * (common / b));
  }
  return std::max(0.0, sum);
}

double entropy(std::span<const uint64_t> sizes, uint64_t items) {
  double sum = 0;
  for (const SizeCount& group : different_sizes(sizes)) {
    const double share = static_cast<double>(group.size) / static_cast<double>(items);
    sum -= static_cast<double>(group.count) * share * std::log(share);
  }
  return std::max(0.0, sum);
}

double expected_mutual_information(std::span<const uint64_t> rows,
                                   std::span<const uint64_t> columns, uint64_t items) {
  const std::vector<SizeCount> row_sizes = different_sizes(rows);
  const std::vector<SizeCount> column_sizes = different_sizes(columns);
  double sum = 0;
  for (const SizeCount& row : row_sizes) {
    for (const SizeCount& column : column_sizes) {
      const double cells = static_cast<double>(row.count) * static_cast<double>(column.count);
      sum += cells * CommonByChance(row.size, column.size, items).mean_information();
    }
  }
  return sum;
}

}  // namespace kith::evaluate
