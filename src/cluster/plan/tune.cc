#include "kith/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/errors.h"
#include "cluster/plan/table_params.h"
#include "sketch/lanes.h"
#include "sketch/lsh/tables.h"

namespace kith {
namespace {

TablePlan plan_of(const sketch::TableParams& params, double similarity) {
  TablePlan plan;
  plan.lanes = params.lanes;
  plan.per_key = params.per_key;
  plan.tables = params.tables;
  plan.recall = sketch::collision_probability(similarity, params);
  const sketch::CurveAreas areas = sketch::curve_areas(similarity, params);
  plan.false_negatives = areas.false_negative;
  plan.false_positives = areas.false_positive;
  return plan;
}

}  // namespace

Result<std::vector<TablePlan>> plan_all_tables(double similarity, double recall, uint32_t lanes,
                                               uint32_t max_tables) {
  KITH_ASSIGN(const auto choices, sketch::table_choices(similarity, recall, lanes, max_tables,
                                                        sketch::TableParams().seed));
  std::vector<TablePlan> plans;
  plans.reserve(choices.size());
  for (const sketch::TableParams& params : choices) plans.push_back(plan_of(params, similarity));
  return plans;
}

Result<TablePlan> plan_tables(double similarity, double recall, uint32_t lanes,
                              uint32_t max_tables) {
  KITH_ASSIGN(
      const sketch::TableParams params,
      sketch::choose_tables(similarity, recall, lanes, max_tables, sketch::TableParams().seed));
  return plan_of(params, similarity);
}

Status validate(const TablePlan& plan) {
  if (plan.lanes < 1 || plan.lanes > sketch::max_lanes) {
    return usage_error(
        fmt::format("lanes {}: must be from 1 to {}", plan.lanes, sketch::max_lanes));
  }
  if (const uint32_t most = std::min(sketch::max_per_key, plan.lanes);
      plan.per_key < 1 || plan.per_key > most) {
    return usage_error(fmt::format("per_key {}: must be from 1 to {}", plan.per_key, most));
  }
  if (plan.tables < 1 || plan.tables > sketch::tables_limit) {
    return usage_error(
        fmt::format("tables {}: must be from 1 to {}", plan.tables, sketch::tables_limit));
  }
  return Status::ok();
}

double recall_at(const TablePlan& plan, double similarity) {
  if (std::isnan(similarity) || !validate(plan)) return std::numeric_limits<double>::quiet_NaN();
  return sketch::collision_probability(std::clamp(similarity, 0.0, 1.0),
                                       cluster::table_params(plan, sketch::TableParams().seed));
}

}  // namespace kith
