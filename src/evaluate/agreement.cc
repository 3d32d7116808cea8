#include "evaluate/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/check.h"
#include "base/hash.h"

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

namespace {

double ratio_or_one(double part, double whole) {
  return whole > 0 ? part / whole : 1;
}

// Items of the most frequent label of their cluster.
uint64_t count_pure(const Contingency& table) {
  std::vector<uint64_t> most(table.rows.size());
  for (const Cell& cell : table.cells) most[cell.row] = std::max(most[cell.row], cell.items);
  uint64_t pure = 0;
  for (const uint64_t items : most) pure += items;
  return pure;
}

void measure_pairs(const Contingency& table, Agreement& agreement) {
  std::vector<uint64_t> cells;
  cells.reserve(table.cells.size());
  for (const Cell& cell : table.cells) cells.push_back(cell.items);
  const auto agreed = static_cast<double>(count_pairs(cells));
  const auto together = static_cast<double>(count_pairs(table.rows));
  const auto alike = static_cast<double>(count_pairs(table.columns));
  agreement.pair_precision = ratio_or_one(agreed, together);
  agreement.pair_recall = ratio_or_one(agreed, alike);
  if (table.is_matching()) return;
  const auto all = static_cast<double>(count_pairs(std::vector{table.items}));
  const double by_chance = together * (alike / all);
  // Not 0: both are 0, or both are all pairs, for equal partitions only.
  agreement.ari = (agreed - by_chance) / ((together + alike) / 2 - by_chance);
}

void measure_information(const Contingency& table, Agreement& agreement) {
  if (table.is_matching()) return;
  const double information = mutual_information(table);
  const double mean_entropy =
      (entropy(table.rows, table.items) + entropy(table.columns, table.items)) / 2;
  agreement.nmi = std::min(1.0, information / mean_entropy);
  const double by_chance = expected_mutual_information(table.rows, table.columns, table.items);
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  agreement.ami = (information - by_chance) / std::max(rounding, mean_entropy - by_chance);
}

void measure_bcubed(std::span<const uint32_t> clusters, const LabelSets& labels,
                    Agreement& agreement) {
  const Bcubed bcubed = measure_bcubed(clusters, labels);
  agreement.bcubed_precision = bcubed.precision;
  agreement.bcubed_recall = bcubed.recall;
  // Above 0: every item shares its labels with itself.
  agreement.bcubed_f1 = 2 * bcubed.precision * bcubed.recall / (bcubed.precision + bcubed.recall);
}

}  // namespace

Agreement measure_agreement(std::span<const uint32_t> clusters, const LabelSets& labels) {
  KITH_CHECK(clusters.size() == labels.size());
  Agreement agreement;
  if (clusters.empty()) return agreement;
  const Contingency table = count_cells(clusters, labels.first());
  agreement.pages = table.items;
  agreement.clusters = table.rows.size();
  agreement.labels = table.columns.size();
  agreement.purity = static_cast<double>(count_pure(table)) / static_cast<double>(table.items);
  measure_pairs(table, agreement);
  measure_information(table, agreement);
  measure_bcubed(clusters, labels, agreement);
  return agreement;
}

Agreement measure_agreement(std::span<const uint32_t> clusters, std::span<const uint32_t> labels) {
  LabelSets sets;
  for (const uint32_t label : labels) sets.add(std::span(&label, 1));
  return measure_agreement(clusters, sets);
}

namespace {

// Items with equal sets of labels are counted as one entry.
struct Entry {
  uint32_t set;
  uint64_t items;
};

// What the items of an entry share with all items of the entries that it stands among, themselves
// included.
struct Shared {
  uint64_t items = 0;  // that share a label with them
  double weight = 0;   // sum over these of 1 / (labels that both have)
};

struct SetHash {
  using is_avalanching = void;
  size_t operator()(const std::vector<uint32_t>& set) const {
    return hash64(std::as_bytes(std::span(set)));
  }
};

// Items by their set of labels: sets are numbered, so that what two have in common is found once.
class SetNumbers {
 public:
  explicit SetNumbers(const LabelSets& labels) {
    boost::unordered_flat_map<std::vector<uint32_t>, uint32_t, SetHash> numbers;
    of_.reserve(labels.size());
    for (size_t item = 0; item < labels.size(); ++item) {
      const auto own = labels[item];
      const auto [entry, is_new] =
          numbers.try_emplace({own.begin(), own.end()}, static_cast<uint32_t>(sets_.size()));
      if (is_new) sets_.add(own);
      of_.push_back(entry->second);
    }
  }

  std::span<const uint32_t> of() const { return of_; }  // by item
  const LabelSets& sets() const { return sets_; }

 private:
  LabelSets sets_;
  std::vector<uint32_t> of_;
};

// The items of a list of sets, one entry a set.
std::vector<Entry> count_sets(std::vector<uint32_t> sets) {
  std::ranges::sort(sets);
  std::vector<Entry> entries;
  for (const uint32_t set : sets) {
    if (entries.empty() || entries.back().set != set) entries.push_back({set, 0});
    ++entries.back().items;
  }
  return entries;
}

std::vector<Shared> shared_among(std::span<const Entry> entries, const LabelSets& sets) {
  std::vector<std::pair<uint32_t, uint32_t>> holders;  // label, entry
  for (uint32_t i = 0; i < entries.size(); ++i) {
    for (const uint32_t label : sets[entries[i].set]) holders.emplace_back(label, i);
  }
  std::ranges::sort(holders);
  std::vector<Shared> shared(entries.size());
  std::vector<uint32_t> common(entries.size());
  std::vector<uint32_t> met;
  for (uint32_t i = 0; i < entries.size(); ++i) {
    met.clear();
    for (const uint32_t label : sets[entries[i].set]) {
      auto at = std::ranges::lower_bound(holders, std::pair(label, uint32_t{0}));
      for (; at != holders.end() && at->first == label; ++at) {
        if (common[at->second]++ == 0) met.push_back(at->second);
      }
    }
    for (const uint32_t other : met) {
      shared[i].items += entries[other].items;
      shared[i].weight += static_cast<double>(entries[other].items) / common[other];
      common[other] = 0;
    }
  }
  return shared;
}

// Calls visit(items, entries, shared) for every cluster.
template <class Visit>
void for_each_cluster(std::span<const uint32_t> clusters, const SetNumbers& numbers,
                      const Visit& visit) {
  KITH_CHECK(clusters.size() == numbers.of().size());
  std::vector<std::pair<uint32_t, uint32_t>> items;  // cluster, set
  items.reserve(clusters.size());
  for (size_t i = 0; i < clusters.size(); ++i) items.emplace_back(clusters[i], numbers.of()[i]);
  std::ranges::sort(items);
  std::vector<uint32_t> sets;
  for (size_t begin = 0; begin < items.size();) {
    sets.clear();
    size_t end = begin;
    for (; end < items.size() && items[end].first == items[begin].first; ++end) {
      sets.push_back(items[end].second);
    }
    const std::vector<Entry> entries = count_sets(sets);
    visit(end - begin, entries, shared_among(entries, numbers.sets()));
    begin = end;
  }
}

uint64_t pairs_of(std::span<const Entry> entries, std::span<const Shared> shared) {
  uint64_t ends = 0;
  for (size_t i = 0; i < entries.size(); ++i) ends += entries[i].items * (shared[i].items - 1);
  return ends / 2;
}

}  // namespace

Bcubed measure_bcubed(std::span<const uint32_t> clusters, const LabelSets& labels) {
  if (labels.size() == 0) return {};
  const SetNumbers numbers(labels);
  const auto all = count_sets({numbers.of().begin(), numbers.of().end()});
  const auto shared_by_all = shared_among(all, numbers.sets());  // entry i is that of set i
  double precision = 0;
  double recall = 0;
  for_each_cluster(clusters, numbers, [&](size_t items, const auto& entries, const auto& shared) {
    for (size_t i = 0; i < entries.size(); ++i) {
      const auto own = static_cast<double>(entries[i].items);
      precision += own * static_cast<double>(shared[i].items) / static_cast<double>(items);
      recall += own * shared[i].weight / static_cast<double>(shared_by_all[entries[i].set].items);
    }
  });
  const auto n = static_cast<double>(labels.size());
  return {precision / n, recall / n};
}

uint64_t count_sharing_pairs(const LabelSets& labels) {
  const SetNumbers numbers(labels);
  const auto all = count_sets({numbers.of().begin(), numbers.of().end()});
  return pairs_of(all, shared_among(all, numbers.sets()));
}

uint64_t count_sharing_pairs(std::span<const uint32_t> clusters, const LabelSets& labels) {
  const SetNumbers numbers(labels);
  uint64_t pairs = 0;
  for_each_cluster(clusters, numbers, [&](size_t, const auto& entries, const auto& shared) {
    pairs += pairs_of(entries, shared);
  });
  return pairs;
}

}  // namespace kith::evaluate
