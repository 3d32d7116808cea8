#include "kith/tune.h"

#include "lsh/tables.h"
#include "plan/table_params.h"

namespace kith {
namespace {

TablePlan plan_of(const lsh::TableParams& params, double similarity) {
  TablePlan plan;
  plan.lanes = params.lanes;
  plan.per_key = params.per_key;
  plan.tables = params.tables;
  plan.recall = lsh::collision_probability(similarity, params);
  const lsh::CurveAreas areas = lsh::curve_areas(similarity, params);
  plan.false_negatives = areas.false_negative;
  plan.false_positives = areas.false_positive;
  return plan;
}

}  // namespace

Result<std::vector<TablePlan>> plan_all_tables(double similarity, double recall, uint32_t lanes,
                                               uint32_t max_tables) {
  KITH_ASSIGN(const auto choices,
              lsh::table_choices(similarity, recall, lanes, max_tables, lsh::TableParams().seed));
  std::vector<TablePlan> plans;
  plans.reserve(choices.size());
  for (const lsh::TableParams& params : choices) plans.push_back(plan_of(params, similarity));
  return plans;
}

Result<TablePlan> plan_tables(double similarity, double recall, uint32_t lanes,
                              uint32_t max_tables) {
  KITH_ASSIGN(const lsh::TableParams params,
              lsh::choose_tables(similarity, recall, lanes, max_tables, lsh::TableParams().seed));
  return plan_of(params, similarity);
}

double recall_at(const TablePlan& plan, double similarity) {
  return lsh::collision_probability(similarity,
                                    pipeline::table_params(plan, lsh::TableParams().seed));
}

}  // namespace kith
