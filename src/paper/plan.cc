#include "paper/plan.h"

#include <fmt/format.h>

#include "paper/join.h"

namespace kith::pipeline {
namespace {

constexpr double paper_similarity = 0.2;

}  // namespace

SimilarityPlan make_paper_plan(const BagCollection& bags, const ClusterOptions& options,
                               ThreadPool& pool, Report& report) {
  report.threshold.similarity = options.similarity.value_or(paper_similarity);
  report.threshold.reason = options.similarity == paper_similarity ? "the paper's" : "as asked";
  const lsh::TableParams tables = pairs::paper_table_params(0);
  report.engine.engine = EngineChoice::paper;
  report.engine.per_key = tables.per_key;
  report.engine.tables = tables.tables;
  report.engine.promised_recall = lsh::filtered_collision_probability(
      report.threshold.similarity, tables, 8, pairs::paper_min_equal);
  report.engine.reason = fmt::format(
      "as asked; {} rounds by {} of {} minima, and {} of {} bytes equal, find {:.1f} % of pairs at "
      "the threshold",
      tables.tables, tables.per_key, tables.lanes, pairs::paper_min_equal, tables.lanes,
      100 * report.engine.promised_recall);
  SimilarityPlan plan = plan_of(bags, report, pool);
  report.bags.duplicates = plan.groups.duplicates();
  return plan;
}

}  // namespace kith::pipeline
