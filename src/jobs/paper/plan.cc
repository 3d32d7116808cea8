#include "jobs/paper/plan.h"

#include <fmt/format.h>

#include "jobs/paper/join.h"

namespace kith::jobs {
namespace {

constexpr double paper_similarity = 0.2;

}  // namespace

cluster::SimilarityPlan make_paper_plan(const sketch::BagCollection& bags,
                                        const ClusterOptions& options, ThreadPool& pool,
                                        Report& report) {
  report.threshold.similarity = options.similarity.value_or(paper_similarity);
  report.threshold.reason = options.similarity == paper_similarity ? "the paper's" : "as asked";
  const sketch::TableParams tables = paper_table_params(0);
  report.engine.engine = EngineChoice::paper;
  report.engine.per_key = tables.per_key;
  report.engine.tables = tables.tables;
  report.engine.promised_recall = sketch::filtered_collision_probability(
      report.threshold.similarity, tables, 8, paper_min_equal);
  report.engine.reason = fmt::format(
      "as asked; {} rounds by {} of {} minima, and {} of {} bytes equal, find {:.1f} % of pairs at "
      "the threshold",
      tables.tables, tables.per_key, tables.lanes, paper_min_equal, tables.lanes,
      100 * report.engine.promised_recall);
  cluster::SimilarityPlan plan = cluster::plan_of(bags, report, pool);
  report.bags.duplicates = plan.groups.duplicates();
  return plan;
}

}  // namespace kith::jobs
