#include "pipeline/check_stage.h"

#include <algorithm>

#include "base/hash.h"
#include "evaluate/brute_force.h"
#include "evaluate/recall_bound.h"
#include "evaluate/recall_check.h"

namespace kith::pipeline {

CheckReport check_run(const BagCollection& bags, uint32_t min_sum, const pairs::Classes& classes,
                      const index::Neighbours& neighbours, const ClusterOptions& options,
                      ThreadPool& pool) {
  const std::vector<uint32_t> queries =
      pairs::sample_queries(bags, options.check_queries, mix64(options.seed ^ 0x636865636bu));
  const pairs::BruteForceResult truth = pairs::brute_force(
      bags, queries, {.min_sum = min_sum, .top = options.neighbours, .list_similar = false}, pool);
  const auto listed = [&](uint32_t query, std::vector<pairs::Neighbour>& out) {
    const auto list = neighbours[query];
    out.insert(out.end(), list.begin(), list.end());
    neighbours.release();  // reading one maps many others around it
  };
  std::vector<BagEntry> first;
  std::vector<BagEntry> second;
  const auto exact_sum = [&](uint32_t a, uint32_t b) {
    return sum_of_minima(bags.read(a, first), bags.read(b, second));
  };
  const pairs::RecallReport recall =
      pairs::check_recall(truth, nullptr, listed, min_sum, exact_sum);

  pairs::Share pair_recall;
  pairs::Share pair_precision;
  // Lists are of all classes, degrees of one.
  const pairs::BruteForceResult within =
      classes.has_one()
          ? pairs::BruteForceResult()
          : pairs::brute_force(
                bags, queries,
                {.min_sum = min_sum, .top = 0, .list_similar = false, .classes = classes}, pool);
  uint64_t cut_pairs = 0;
  double sum_of_shares = 0;
  uint64_t with_similar = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    const pairs::QueryTruth& query = classes.has_one() ? truth.queries[i] : within.queries[i];
    cut_pairs += truth.queries[i].degree - query.degree;
    const uint64_t found = neighbours.degree(query.id);
    const uint64_t hits = std::min<uint64_t>(found, query.degree);
    pair_recall.hits += hits;
    pair_recall.of += query.degree;
    pair_precision.hits += hits;
    pair_precision.of += found;
    if (query.degree == 0) continue;
    sum_of_shares += static_cast<double>(hits) / static_cast<double>(query.degree);
    ++with_similar;
  }
  CheckReport report;
  report.queries = static_cast<uint32_t>(queries.size());
  report.true_pairs = pair_recall.of;
  report.cut_pairs = cut_pairs;
  report.pair_recall = pair_recall.value();
  report.pair_precision = pair_precision.value();
  report.recall_upper = recall_upper_bound(sum_of_shares, with_similar);
  report.neighbour_recall = recall.neighbour_recall.value();
  report.similar_neighbour_recall = recall.similar_neighbour_recall.value();
  report.neighbour_precision = recall.neighbour_precision.value();
  return report;
}

}  // namespace kith::pipeline
