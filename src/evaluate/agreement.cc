#include "evaluate/agreement.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/check.h"
#include "evaluate/bcubed.h"
#include "evaluate/contingency.h"

namespace kith::evaluate {
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

}  // namespace kith::evaluate
