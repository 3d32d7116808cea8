#include "pipeline/similarity_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"
#include "pairs/brute_force.h"
#include "pairs/engine_choice.h"
#include "pairs/similarity_floor.h"

namespace kith::pipeline {
namespace {

// Different uses of one seed must not see the same random numbers.
enum class SeedUse : uint64_t { floor = 1, sketch, tables };
uint64_t seed_for(const ClusterOptions& options, SeedUse use) {
  return mix64(options.seed * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(use));
}

Quantiles quantiles_of(const pairs::RankQuantiles& q) {
  return {q.p10, q.p25, q.p50, q.p75, q.p90};
}

FloorReport floor_report(const ClusterOptions& options, const pairs::FloorChoice& choice) {
  FloorReport floor;
  floor.queries = static_cast<uint32_t>(choice.queries);
  floor.nearest = quantiles_of(choice.ranks[0]);
  floor.tenth = quantiles_of(choice.ranks[1]);
  floor.twentieth = quantiles_of(choice.ranks[2]);
  floor.automatic = !options.similarity;
  if (options.similarity) {
    floor.similarity = *options.similarity;
    floor.reason = "as asked";
  } else if (choice.queries == 0) {
    floor.similarity = choice.similarity;
    floor.reason = "no URL has words";
  } else {
    floor.similarity = choice.similarity;
    floor.reason = fmt::format(
        "the tenth neighbour of the median URL is at {:.3f} (brute force over {} URLs; the floor "
        "stays between 0.05 and 0.5)",
        choice.median, choice.queries);
  }
  return floor;
}

pairs::Engine wished_engine(EngineChoice engine) {
  switch (engine) {
    case EngineChoice::exact:
      return pairs::Engine::exact;
    case EngineChoice::lsh:
      return pairs::Engine::lsh;
    case EngineChoice::automatic:
      break;
  }
  return pairs::Engine::automatic;
}

Result<lsh::TableParams> tables_for(const ClusterOptions& options, double similarity) {
  // The formula wants a similarity below 1; pairs at 1 are found by any table.
  return lsh::choose_tables(std::min(similarity, 0.999), options.recall, options.lanes,
                            options.max_tables, seed_for(options, SeedUse::tables));
}

// The tables can pay for no floor as low as the exact engine can: an automatic floor gives way,
// one that the user named does not.
Result<lsh::TableParams> fit_tables(const ClusterOptions& options, FloorReport& floor) {
  const uint64_t seed = seed_for(options, SeedUse::tables);
  constexpr uint32_t least_per_key = 2;
  if (floor.automatic) {
    const double reachable = pairs::floor_within_tables(
        floor.similarity, options.recall, options.lanes, options.max_tables, least_per_key, seed);
    if (reachable > floor.similarity) {
      floor.reason += fmt::format("; raised from {:.2f} to what {} tables can pay for",
                                  floor.similarity, options.max_tables);
      floor.similarity = reachable;
    }
  }
  return tables_for(options, floor.similarity);
}

// Why choose_engine() took the engine that it took.
std::string_view reason_of(bool automatic, const pairs::EngineChoice& choice) {
  if (!automatic) return "as asked";
  const bool exact_is_cheaper = choice.exact.seconds <= choice.lsh.seconds;
  if (choice.engine == pairs::Engine::exact) {
    return exact_is_cheaper ? "the cheaper, and it misses nothing"
                            : "it misses nothing, and its price is bearable";
  }
  return "the cheaper";
}

EngineReport engine_report(const ClusterOptions& options, const pairs::EngineChoice& choice,
                           uint64_t distinct) {
  EngineReport engine;
  engine.automatic = options.engine == EngineChoice::automatic;
  engine.engine = choice.engine == pairs::Engine::exact ? EngineChoice::exact : EngineChoice::lsh;
  engine.exact_seconds = choice.exact.seconds;
  engine.lsh_seconds = choice.lsh.seconds;
  engine.reason = fmt::format(
      "{} for {} different bags (estimates for one core: exact {:.3g} s, tables {:.3g} s)",
      reason_of(engine.automatic, choice), distinct, engine.exact_seconds, engine.lsh_seconds);
  return engine;
}

}  // namespace

SketchOptions sketch_options(const ClusterOptions& options) {
  SketchOptions sketch;
  sketch.lanes = options.lanes;
  sketch.seed = seed_for(options, SeedUse::sketch);
  return sketch;
}

Status check_tables(const ClusterOptions& options) {
  if (!options.similarity || !needs_signatures(options.engine, options.order)) return Status::ok();
  return tables_for(options, *options.similarity).status();
}

Result<SimilarityPlan> make_plan(const BagCollection& bags, const ClusterOptions& options,
                                 ThreadPool& pool, Report& report) {
  SimilarityPlan plan;
  plan.groups = pairs::find_duplicates(bags, pool);
  report.bags.duplicates = plan.groups.duplicates();
  const uint64_t distinct = pairs::distinct_bags(bags, plan.groups).size();

  pairs::FloorOptions floor_options;
  floor_options.seed = seed_for(options, SeedUse::floor);
  const pairs::FloorChoice floor = pairs::choose_floor(bags, floor_options, pool);
  report.floor = floor_report(options, floor);

  // With the tables an automatic floor may have to rise, so both floors are tried on.
  FloorReport lsh_floor = report.floor;
  const auto tables = fit_tables(options, lsh_floor);
  if (!tables && needs_signatures(options.engine, options.order)) return tables.error();
  plan.tables = tables ? *tables : lsh::TableParams();

  pairs::JobShape job;
  job.least_sum = least_sum_of_minima(report.floor.similarity);
  job.top = options.neighbours;
  job.distinct_bags = distinct;
  const pairs::Engine wish = tables ? wished_engine(options.engine) : pairs::Engine::exact;
  const pairs::EngineChoice choice =
      pairs::choose_engine(bags, floor.sample, job, plan.tables, wish);
  report.engine = engine_report(options, choice, distinct);
  if (!tables) report.engine.reason += "; no tables reach the recall: " + tables.error().message;
  plan.engine = report.engine.engine;
  if (needs_signatures(plan.engine, options.order)) {
    report.engine.per_key = plan.tables.per_key;
    report.engine.tables = plan.tables.tables;
  }
  if (plan.engine == EngineChoice::lsh) {
    report.floor = lsh_floor;
    report.engine.promised_recall =
        lsh::collision_probability(report.floor.similarity, plan.tables);
    report.engine.reason +=
        fmt::format("; {} tables of {} minima find {:.1f} % of pairs at the floor",
                    plan.tables.tables, plan.tables.per_key, 100 * report.engine.promised_recall);
  }
  plan.least_sum = least_sum_of_minima(report.floor.similarity);
  return plan;
}

SimilarityPlan plan_of(const BagCollection& bags, const Report& report, ThreadPool& pool) {
  SimilarityPlan plan;
  plan.groups = pairs::find_duplicates(bags, pool);
  plan.least_sum = least_sum_of_minima(report.floor.similarity);
  plan.engine = report.engine.engine;
  plan.tables.lanes = report.options.lanes;
  plan.tables.per_key = report.engine.per_key;
  plan.tables.tables = report.engine.tables;
  plan.tables.seed = seed_for(report.options, SeedUse::tables);
  return plan;
}

}  // namespace kith::pipeline
