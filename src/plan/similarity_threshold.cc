#include "plan/similarity_threshold.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"

namespace kith::pairs {
namespace {

constexpr uint32_t ranks[] = {1, 10, 20};
constexpr uint32_t max_ranks = 20;

// The similarity of each query to its r-th nearest neighbour, ascending.
std::vector<double> at_rank(std::span<const QueryTruth> queries, uint32_t rank) {
  std::vector<double> similarities;
  for (const QueryTruth& query : queries) {
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

// Those of the sample that are pages. Where these are few, those of a sample of pages.
std::vector<QueryTruth> page_queries(const BagCollection& bags, const BruteForceResult& sample,
                                     const ThresholdOptions& options, ThreadPool& pool) {
  std::vector<QueryTruth> pages;
  for (const QueryTruth& query : sample.queries) {
    if (options.is_page[query.id] != 0) pages.push_back(query);
  }
  if (2 * pages.size() >= sample.queries.size()) return pages;
  const std::vector<uint32_t> more =
      sample_queries(bags, options.queries, options.seed, options.is_page);
  return brute_force(bags, more, {.top = max_ranks, .classes = options.classes}, pool).queries;
}

double median_at(std::span<const QueryTruth> queries, uint32_t rank) {
  return quantile(at_rank(queries, rank), 0.5);
}

// Those whose bags will not be left out of clusters; all when there are no others.
std::vector<QueryTruth> queries_of_clusters(const BagCollection& bags,
                                            std::vector<QueryTruth> queries, uint32_t min_words) {
  const auto is_short = [&](const QueryTruth& query) { return bags[query.id].size() < min_words; };
  if (!std::ranges::all_of(queries, is_short)) std::erase_if(queries, is_short);
  return queries;
}

// With classes, those that have as many neighbours in theirs as the median page is to have: none,
// where classes are small.
std::vector<QueryTruth> deciding(const BagCollection& bags, std::vector<QueryTruth> queries,
                                 const ThresholdOptions& options) {
  if (!options.classes.has_one()) {
    std::erase_if(queries, [&](const QueryTruth& query) {
      return query.nearest.size() < options.wanted_neighbours;
    });
  }
  return queries_of_clusters(bags, std::move(queries), options.min_words);
}

// All queries, or those of pages, whichever have the lower median: neither is to be left alone.
std::vector<QueryTruth> deciding_queries(const BagCollection& bags, const BruteForceResult& sample,
                                         const ThresholdOptions& options, ThreadPool& pool) {
  std::vector<QueryTruth> all = deciding(bags, sample.queries, options);
  if (options.is_page.empty()) return all;
  const std::vector<QueryTruth> pages =
      deciding(bags, page_queries(bags, sample, options, pool), options);
  const uint32_t rank = options.wanted_neighbours;
  const bool pages_decide = !pages.empty() && median_at(pages, rank) < median_at(all, rank);
  return pages_decide ? pages : all;
}

}  // namespace

ThresholdChoice choose_threshold(const BagCollection& bags, const DuplicateGroups& groups,
                                 const ThresholdOptions& options, ThreadPool& pool) {
  KITH_CHECK(options.wanted_neighbours >= 1 && options.wanted_neighbours <= max_ranks);
  ThresholdChoice choice;
  const std::vector<uint32_t> sample = sample_queries(bags, options.queries, options.seed);
  choice.sample = brute_force(
      bags, sample, {.top = max_ranks, .classes = options.classes, .histogram_groups = &groups},
      pool);
  const std::vector<QueryTruth> queries = deciding_queries(bags, choice.sample, options, pool);
  choice.queries = queries.size();
  for (size_t i = 0; i < choice.ranks.size(); ++i) {
    const std::vector<double> sorted = at_rank(queries, ranks[i]);
    choice.ranks[i] = {quantile(sorted, 0.10), quantile(sorted, 0.25), quantile(sorted, 0.50),
                       quantile(sorted, 0.75), quantile(sorted, 0.90)};
  }
  choice.median = median_at(queries, options.wanted_neighbours);
  choice.similarity = queries.empty() ? options.highest
                                      : std::clamp(round_down_to_hundredths(choice.median),
                                                   options.lowest, options.highest);
  return choice;
}

}  // namespace kith::pairs
