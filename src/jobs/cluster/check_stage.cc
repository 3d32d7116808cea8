#include "jobs/cluster/check_stage.h"

#include <algorithm>

#include "base/hash.h"
#include "evaluate/brute_force.h"
#include "evaluate/recall_check.h"

namespace kith::jobs {

CheckReport check_run(const sketch::BagCollection& bags, uint32_t min_sum,
                      const similar::Classes& classes, const run::Neighbours& neighbours,
                      const ClusterOptions& options, ThreadPool& pool) {
  const std::vector<uint32_t> queries =
      evaluate::sample_queries(bags, options.check_queries, mix64(options.seed ^ 0x636865636bu));
  const evaluate::BruteForceResult truth = evaluate::brute_force(
      bags, queries, {.min_sum = min_sum, .top = options.neighbours, .list_similar = false}, pool);
  const auto listed = [&](uint32_t query, std::vector<similar::Neighbour>& out) {
    const auto list = neighbours[query];
    out.insert(out.end(), list.begin(), list.end());
    neighbours.release();  // reading one maps many others around it
  };
  std::vector<sketch::BagEntry> first;
  std::vector<sketch::BagEntry> second;
  const auto exact_sum = [&](uint32_t a, uint32_t b) {
    return sketch::sum_of_minima(bags.read(a, first), bags.read(b, second));
  };
  const evaluate::RecallReport recall =
      evaluate::check_recall(truth, nullptr, listed, min_sum, exact_sum);

  evaluate::Share pair_recall;
  evaluate::Share pair_precision;
  // Lists are of all classes, degrees of one.
  const evaluate::BruteForceResult within =
      classes.has_one()
          ? evaluate::BruteForceResult()
          : evaluate::brute_force(
                bags, queries,
                {.min_sum = min_sum, .top = 0, .list_similar = false, .classes = classes}, pool);
  uint64_t cut_pairs = 0;
  double sum_of_shares = 0;
  uint64_t with_similar = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    const evaluate::QueryTruth& query = classes.has_one() ? truth.queries[i] : within.queries[i];
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
  report.recall_upper = evaluate::recall_upper_bound(sum_of_shares, with_similar);
  report.neighbour_recall = recall.neighbour_recall.value();
  report.similar_neighbour_recall = recall.similar_neighbour_recall.value();
  report.neighbour_precision = recall.neighbour_precision.value();
  return report;
}

}  // namespace kith::jobs
