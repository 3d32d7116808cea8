#include "plan/similarity_threshold.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace kith::pairs {
namespace {

constexpr uint32_t ranks[] = {1, 10, 20};
constexpr uint32_t max_ranks = 20;

// The similarity of each query to its r-th nearest neighbour, ascending.
std::vector<double> at_rank(const BruteForceResult& sample, uint32_t rank) {
  std::vector<double> similarities;
  for (const QueryTruth& query : sample.queries) {
    const bool has = query.nearest.size() >= rank;
    similarities.push_back(has ? similarity_of(query.nearest[rank - 1].sum_of_minima) : 0.0);
  }
  std::sort(similarities.begin(), similarities.end());
  return similarities;
}

// The lower of two middle values, so that a quantile is always a value that occurs.
double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1))];
}

double round_down_to_hundredths(double value) {
  return std::floor(value * 100 + 1e-9) / 100;
}

}  // namespace

ThresholdChoice choose_threshold(const BagCollection& bags, const DuplicateGroups& groups,
                                 const ThresholdOptions& options, ThreadPool& pool) {
  KITH_CHECK(options.wanted_neighbours >= 1 && options.wanted_neighbours <= max_ranks);
  ThresholdChoice choice;
  const std::vector<uint32_t> queries = sample_queries(bags, options.queries, options.seed);
  choice.queries = queries.size();
  choice.sample = brute_force(bags, queries, {.top = max_ranks, .histogram_groups = &groups}, pool);
  for (size_t i = 0; i < choice.ranks.size(); ++i) {
    const std::vector<double> sorted = at_rank(choice.sample, ranks[i]);
    choice.ranks[i] = {quantile(sorted, 0.10), quantile(sorted, 0.25), quantile(sorted, 0.50),
                       quantile(sorted, 0.75), quantile(sorted, 0.90)};
  }
  choice.median = quantile(at_rank(choice.sample, options.wanted_neighbours), 0.5);
  choice.similarity = queries.empty() ? options.highest
                                      : std::clamp(round_down_to_hundredths(choice.median),
                                                   options.lowest, options.highest);
  return choice;
}

}  // namespace kith::pairs
