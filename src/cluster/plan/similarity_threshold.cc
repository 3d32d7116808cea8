#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "cluster/plan/similarity_plan.h"

namespace kith::cluster {
namespace {

constexpr uint32_t ranks[] = {1, 10, 20};

// The similarity of each query to its r-th nearest neighbour, ascending.
std::vector<double> at_rank(std::span<const evaluate::QueryTruth> queries, uint32_t rank) {
  std::vector<double> similarities;
  for (const evaluate::QueryTruth& query : queries) {
    const bool has = query.nearest.size() >= rank;
    similarities.push_back(has ? sketch::similarity_of(query.nearest[rank - 1].sum_of_minima)
                               : 0.0);
  }
  std::sort(similarities.begin(), similarities.end());
  return similarities;
}

// The lower of two middle values, so that a quantile is always a value that occurs.
double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1))];
}

// Coarse, so that the threshold is rather too low than too high: that joins more pages, and
// clusters agree better with labels.
double round_down_to_fiftieths(double value) {
  return std::floor(value * 50 + 1e-9) / 50;
}

// Those of the sample that are pages. Where these are few, those of a sample of pages.
std::vector<evaluate::QueryTruth> page_queries(const sketch::BagCollection& bags,
                                               const evaluate::BruteForceResult& sample,
                                               const ThresholdOptions& options, ThreadPool& pool) {
  std::vector<evaluate::QueryTruth> pages;
  for (const evaluate::QueryTruth& query : sample.queries) {
    if (options.is_page[query.id] != 0) pages.push_back(query);
  }
  if (2 * pages.size() >= sample.queries.size()) return pages;
  const std::vector<uint32_t> more =
      evaluate::sample_queries(bags, options.queries, options.seed, options.is_page);
  return evaluate::brute_force(bags, more, {.top = query_neighbours, .classes = options.classes},
                               pool)
      .queries;
}

double median_at(std::span<const evaluate::QueryTruth> queries, uint32_t rank) {
  return quantile(at_rank(queries, rank), 0.5);
}

// Those whose bags will not be left out of clusters; all when there are no others. With classes,
// those that have as many neighbours in theirs as the median page is to have: none, where classes
// are small.
std::vector<evaluate::QueryTruth> deciding(const sketch::BagCollection& bags,
                                           std::vector<evaluate::QueryTruth> queries,
                                           const ThresholdOptions& options) {
  if (!options.classes.has_one()) {
    std::erase_if(queries, [&](const evaluate::QueryTruth& query) {
      return query.nearest.size() < options.wanted_neighbours;
    });
  }
  const auto is_short = [&](const evaluate::QueryTruth& query) {
    return bags[query.id].size() < options.min_words;
  };
  if (!std::ranges::all_of(queries, is_short)) std::erase_if(queries, is_short);
  return queries;
}

// All queries, or those of pages, whichever have the lower median: neither is to be left alone.
std::vector<evaluate::QueryTruth> deciding_queries(const sketch::BagCollection& bags,
                                                   const evaluate::BruteForceResult& sample,
                                                   const ThresholdOptions& options,
                                                   ThreadPool& pool) {
  std::vector<evaluate::QueryTruth> all = deciding(bags, sample.queries, options);
  if (options.is_page.empty()) return all;
  const std::vector<evaluate::QueryTruth> pages =
      deciding(bags, page_queries(bags, sample, options, pool), options);
  const uint32_t rank = options.wanted_neighbours;
  const bool pages_decide = !pages.empty() && median_at(pages, rank) < median_at(all, rank);
  return pages_decide ? pages : all;
}

// Of the queries that decide.
ThresholdChoice choice_of(const std::vector<evaluate::QueryTruth>& queries,
                          const ThresholdOptions& options) {
  ThresholdChoice choice;
  choice.queries = queries.size();
  for (size_t i = 0; i < choice.ranks.size(); ++i) {
    const std::vector<double> sorted = at_rank(queries, ranks[i]);
    choice.ranks[i] = {quantile(sorted, 0.10), quantile(sorted, 0.25), quantile(sorted, 0.50),
                       quantile(sorted, 0.75), quantile(sorted, 0.90)};
  }
  choice.median = median_at(queries, options.wanted_neighbours);
  choice.similarity = queries.empty() ? options.highest
                                      : std::clamp(round_down_to_fiftieths(choice.median),
                                                   options.lowest, options.highest);
  return choice;
}

}  // namespace

ThresholdChoice choose_threshold(const sketch::BagCollection& bags,
                                 const similar::DuplicateGroups& groups,
                                 const ThresholdOptions& options, ThreadPool& pool) {
  KITH_CHECK(options.wanted_neighbours >= 1 && options.wanted_neighbours <= query_neighbours);
  const std::vector<uint32_t> ids = evaluate::sample_queries(bags, options.queries, options.seed);
  evaluate::BruteForceResult sample = evaluate::brute_force(
      bags, ids, {.top = query_neighbours, .classes = options.classes, .histogram_groups = &groups},
      pool);
  ThresholdChoice choice = choice_of(deciding_queries(bags, sample, options, pool), options);
  choice.sample = std::move(sample);
  return choice;
}

}  // namespace kith::cluster
