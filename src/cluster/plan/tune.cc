#include "kith/tune.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "cluster/plan/table_costs.h"
#include "sketch/lsh/duplicate_tables.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/lsh/tables.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"

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

// Plans for near-duplicates: bands, super-shingles, fingerprints and their tables.
namespace {

BandPlan plan_of(const sketch::BandParams& params, double resemblance, uint32_t lanes) {
  BandPlan plan;
  plan.lanes = lanes;
  plan.rows = params.rows;
  plan.bands = params.bands;
  plan.recall = recall_at(plan, resemblance);
  const sketch::CurveAreas areas = sketch::band_curve_areas(resemblance, params);
  plan.false_negatives = areas.false_negative;
  plan.false_positives = areas.false_positive;
  return plan;
}

FingerprintTables tables_of(const sketch::TableDesign& design, uint64_t documents) {
  FingerprintTables plan;
  plan.distance = design.distance;
  plan.outer = design.outer;
  plan.inner = design.inner;
  const auto tables = sketch::permuted_tables(design);
  plan.tables = static_cast<uint32_t>(tables.size());
  const auto [least, most] =
      std::ranges::minmax(tables, {}, [](const auto& table) { return table.prefix_bits(); });
  plan.min_prefix = least.prefix_bits();
  plan.max_prefix = most.prefix_bits();
  const sketch::QueryCost cost = sketch::query_cost(design, static_cast<double>(documents));
  plan.candidates = cost.candidates;
  plan.nanoseconds = cost.nanoseconds;
  return plan;
}

Status check_distance(uint32_t distance) {
  if (distance <= sketch::max_distance) return Status::ok();
  return usage_error(
      fmt::format("distance = {}: must be from 0 to {}", distance, sketch::max_distance));
}

}  // namespace

Result<std::vector<BandPlan>> plan_all_bands(double resemblance, double recall, uint32_t lanes) {
  KITH_ASSIGN(const auto choices, sketch::band_choices(resemblance, recall, lanes));
  std::vector<BandPlan> plans;
  plans.reserve(choices.size());
  for (const auto& params : choices) plans.push_back(plan_of(params, resemblance, lanes));
  return plans;
}

Result<BandPlan> plan_bands(double resemblance, double recall, uint32_t lanes) {
  KITH_ASSIGN(const sketch::BandParams params, sketch::choose_bands(resemblance, recall, lanes));
  return plan_of(params, resemblance, lanes);
}

double recall_at(const BandPlan& plan, double resemblance) {
  if (std::isnan(resemblance)) return resemblance;
  return sketch::band_collision_probability(std::clamp(resemblance, 0.0, 1.0), plan.bands,
                                            plan.rows);
}

Result<std::vector<SuperShinglePlan>> plan_all_super_shingles(double resemblance, double recall,
                                                              uint32_t lanes, uint32_t groups,
                                                              uint32_t least) {
  KITH_TRY(sketch::check_request(resemblance, recall, lanes));
  if (groups < 1 || groups > lanes) {
    return usage_error(fmt::format("groups = {}: must be from 1 to the lanes, {}", groups, lanes));
  }
  if (least < 1 || least > groups) {
    return usage_error(fmt::format("least = {}: must be from 1 to the groups, {}", least, groups));
  }
  std::vector<SuperShinglePlan> plans;
  for (uint32_t minima = 1; minima * groups <= lanes; ++minima) {
    SuperShinglePlan plan{.minima = minima, .groups = groups, .least = least};
    plan.recall = recall_at(plan, resemblance);
    if (plan.recall < recall) break;  // longer ones are equal less often
    const auto areas = sketch::super_shingle_curve_areas(resemblance, minima, groups, least);
    plan.false_negatives = areas.false_negative;
    plan.false_positives = areas.false_positive;
    plans.push_back(plan);
  }
  if (!plans.empty()) return plans;
  const SuperShinglePlan best{.minima = 1, .groups = groups, .least = least};
  return usage_error(fmt::format(
      "{} of {} super-shingles do not reach a recall of {} at resemblance {}: "
      "the best is {:.2f}; give a higher `similarity` or a lower `recall`",
      least, groups, recall, resemblance, sketch::two_decimals(recall_at(best, resemblance))));
}

double recall_at(const SuperShinglePlan& plan, double resemblance) {
  if (std::isnan(resemblance)) return resemblance;
  return sketch::shared_super_shingles_probability(std::clamp(resemblance, 0.0, 1.0), plan.minima,
                                                   plan.groups, plan.least);
}

Result<std::vector<FingerprintPlan>> plan_all_fingerprints(double cosine) {
  if (!(cosine > 0.0 && cosine < 1.0)) {
    return usage_error(
        fmt::format("similarity = {}: must be between 0 and 1, both excluded", cosine));
  }
  std::vector<FingerprintPlan> plans;
  for (uint32_t distance = 0; distance <= sketch::max_distance; ++distance) {
    FingerprintPlan plan{.distance = distance};
    plan.recall = recall_at(plan, cosine);
    const auto areas = sketch::near_fingerprint_curve_areas(cosine, distance);
    plan.false_negatives = areas.false_negative;
    plan.false_positives = areas.false_positive;
    plans.push_back(plan);
  }
  return plans;
}

double recall_at(const FingerprintPlan& plan, double cosine) {
  if (std::isnan(cosine)) return cosine;
  return sketch::near_fingerprint_probability(cosine, plan.distance);
}

Result<std::vector<FingerprintTables>> plan_all_fingerprint_tables(uint64_t documents,
                                                                   uint32_t distance) {
  KITH_TRY(check_distance(distance));
  std::vector<FingerprintTables> plans;
  for (const auto& design : sketch::table_designs(distance)) {
    plans.push_back(tables_of(design, documents));
  }
  return plans;
}

Result<FingerprintTables> plan_fingerprint_tables(uint64_t documents, uint32_t distance,
                                                  uint32_t max_tables) {
  KITH_TRY(check_distance(distance));
  KITH_ASSIGN(const auto design, sketch::choose_design(documents, distance, max_tables));
  return tables_of(design, documents);
}

}  // namespace kith
