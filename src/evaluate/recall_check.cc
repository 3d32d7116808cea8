#include "evaluate/recall_check.h"

#include <algorithm>

namespace kith::evaluate {
namespace {

void check_pairs(const QueryTruth& truth, std::vector<similar::Neighbour> found,
                 RecallReport& report) {
  std::sort(found.begin(), found.end(),
            [](const similar::Neighbour& a, const similar::Neighbour& b) { return a.id < b.id; });
  uint64_t right = 0;
  for (size_t i = 0, t = 0; i < found.size(); ++i) {
    if (i > 0 && found[i].id == found[i - 1].id) continue;  // a repeat is wrong
    while (t < truth.similar.size() && truth.similar[t].id < found[i].id) ++t;
    right += t < truth.similar.size() && truth.similar[t] == found[i];
  }
  report.pair_recall.hits += right;
  report.pair_recall.of += truth.similar.size();
  report.pair_precision.hits += right;
  report.pair_precision.of += found.size();
}

void check_neighbours(const QueryTruth& truth, std::span<const similar::Neighbour> found,
                      uint32_t min_sum, const std::function<uint32_t(uint32_t, uint32_t)>& sum,
                      RecallReport& report) {
  const auto similar = [&](const similar::Neighbour& neighbour) {
    return min_sum > 0 && neighbour.sum_of_minima >= min_sum;
  };
  const uint32_t least = truth.nearest.empty() ? 0 : truth.nearest.back().sum_of_minima;
  std::vector<similar::Neighbour> right;
  for (const similar::Neighbour& neighbour : found) {
    if (neighbour.id == truth.id || neighbour.sum_of_minima == 0) continue;
    if (neighbour.sum_of_minima < least) continue;
    if (sum(truth.id, neighbour.id) == neighbour.sum_of_minima) right.push_back(neighbour);
  }
  std::sort(right.begin(), right.end(), similar::nearer);
  right.erase(std::unique(right.begin(), right.end()), right.end());
  const uint64_t hits = std::min(right.size(), truth.nearest.size());
  report.neighbour_recall.hits += hits;
  report.neighbour_recall.of += truth.nearest.size();
  const auto similar_ones = [&](std::span<const similar::Neighbour> list) {
    return static_cast<uint64_t>(std::ranges::count_if(list, similar));
  };
  report.similar_neighbour_recall.hits +=
      std::min(similar_ones(right), similar_ones(truth.nearest));
  report.similar_neighbour_recall.of += similar_ones(truth.nearest);
  report.neighbour_precision.hits += hits;
  report.neighbour_precision.of += found.size();
}

}  // namespace

RecallReport check_recall(const BruteForceResult& truth, const Found& pairs,
                          const Found& neighbours, uint32_t min_sum,
                          const std::function<uint32_t(uint32_t, uint32_t)>& sum) {
  RecallReport report;
  std::vector<similar::Neighbour> found;
  for (const QueryTruth& query : truth.queries) {
    ++report.queries;
    if (pairs) {
      found.clear();
      pairs(query.id, found);
      check_pairs(query, found, report);
    }
    if (neighbours) {
      found.clear();
      neighbours(query.id, found);
      check_neighbours(query, found, min_sum, sum, report);
    }
  }
  return report;
}

}  // namespace kith::evaluate
