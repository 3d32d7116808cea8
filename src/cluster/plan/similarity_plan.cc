#include "cluster/plan/similarity_plan.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cluster/plan/seeds.h"
#include "cluster/plan/table_costs.h"
#include "evaluate/brute_force.h"
#include "similar/exact/term_table.h"

namespace kith::cluster {
namespace {

constexpr size_t min_counted = 50'000;  // where there are so many; less than twice as many

// Document frequencies as shares of the bags, counted over every step-th bag.
class Frequencies {
 public:
  explicit Frequencies(const sketch::BagCollection& bags) {
    const size_t step = std::max<size_t>(1, bags.size() / min_counted);
    std::vector<sketch::BagEntry> buffer;
    for (size_t id = 0; id < bags.size(); id += step, ++counted_) {
      for (const sketch::BagEntry entry : bags.read(id, buffer)) {
        const uint32_t term = terms_.insert(entry.term);
        if (term == counts_.size()) counts_.push_back(0);
        ++counts_[term];
      }
    }
  }
  double share(uint32_t term) const {
    const uint32_t number = terms_.find(term);
    if (number == similar::TermTable::none) return 0;
    return static_cast<double>(counts_[number]) / static_cast<double>(counted_);
  }

 private:
  similar::TermTable terms_;
  std::vector<uint32_t> counts_;
  size_t counted_ = 0;
};

}  // namespace

ExactCost cost_of_exact(const sketch::BagCollection& bags, const evaluate::BruteForceResult& sample,
                        const PairStatistics& pairs, const JobShape& job, double threshold) {
  const Frequencies frequencies(bags);
  const auto n = static_cast<double>(job.distinct_bags);
  double sparse_share = 0;
  double dense_terms = 0;
  std::vector<sketch::BagEntry> buffer;
  for (const evaluate::QueryTruth& query : sample.queries) {
    for (const sketch::BagEntry entry : bags.read(query.id, buffer)) {
      const double share = frequencies.share(entry.term);
      if (share >= similar::dense_share) {
        dense_terms += 1;
      } else {
        sparse_share += share;
      }
    }
  }
  const double queries = std::max(1.0, static_cast<double>(sample.queries.size()));
  ExactCost exact;
  exact.postings = n * n * sparse_share / queries;
  exact.cells = n * n * dense_terms / queries;
  // Beside the K nearest, the bags near the threshold: about a tenth of those above it.
  exact.merges = n * (1.6 * job.top + 0.1 * n * pairs.share_above(threshold));
  const double join =
      1e-9 * (exact.postings * cluster::cost::posting + exact.cells * cluster::cost::cell +
              n * n * cluster::cost::slot + exact.merges * cluster::cost::merge);
  exact.seconds = join * (1 + cluster::cost::leader_scan * pairs.leader_share(threshold, n));
  return exact;
}

EngineChoice choose_engine(const ExactCost& exact, std::optional<double> table_seconds,
                           EngineChoice request) {
  if (request != EngineChoice::automatic) return request;
  if (!table_seconds) return EngineChoice::exact;
  const bool pays = exact.seconds <= bearable_seconds || exact.seconds <= *table_seconds;
  return pays ? EngineChoice::exact : EngineChoice::lsh;
}

namespace {

ThresholdReport threshold_report(const SimilarityOptions& options, const ThresholdOptions& by,
                                 const ThresholdChoice& choice) {
  ThresholdReport threshold;
  threshold.queries = static_cast<uint32_t>(choice.queries);
  threshold.nearest = choice.ranks[0];
  threshold.tenth = choice.ranks[1];
  threshold.twentieth = choice.ranks[2];
  threshold.automatic = !options.similarity;
  if (options.similarity) {
    threshold.similarity = *options.similarity;
    threshold.reason = "as asked";
  } else if (choice.queries == 0) {
    threshold.similarity = choice.similarity;
    threshold.reason = "no URL has words";
  } else {
    threshold.similarity = choice.similarity;
    threshold.reason = fmt::format(
        "the {} of the median URL is at {:.3f} (brute force over {} URL{}; a threshold from {} to "
        "{} is chosen)",
        by.classes.has_one() ? "tenth neighbour" : "twentieth neighbour in the class",
        choice.median, choice.queries, choice.queries == 1 ? "" : "s", by.lowest, by.highest);
  }
  return threshold;
}

// What classes keep apart, the threshold need not: it may be lower, and pages have more neighbours.
ThresholdOptions within_classes(ThresholdOptions options, const similar::Classes& classes) {
  options.classes = classes;
  options.wanted_neighbours = 20;
  options.lowest = 0.02;
  return options;
}

TableRequest table_request(const SimilarityOptions& options, const ThresholdReport& threshold) {
  return {.threshold = threshold.similarity,
          .may_rise = threshold.automatic,
          .recall = options.recall,
          .lanes = options.lanes,
          .max_tables = options.max_tables,
          .seed = seed_for(options, SeedUse::tables)};
}

JobShape job_shape(uint64_t bags, uint64_t entries, uint64_t distinct,
                   const SimilarityOptions& options) {
  JobShape job;
  job.distinct_bags = distinct;
  job.entries_per_bag =
      static_cast<double>(entries) / static_cast<double>(std::max<uint64_t>(1, bags));
  // Not those that the run keeps: clusters must not depend on how many these are.
  job.top = ClusterOptions().neighbours;
  job.sorts_mass = options.order == Order::automatic || options.order == Order::mass;
  return job;
}

BucketSampleOptions bucket_sample(const SimilarityOptions& options, double threshold) {
  return {.sketch = sketch_options(options),
          .seed = seed_for(options, SeedUse::tables),
          .pivots = similar::close_pivot_rule(threshold, options.lanes)};
}

ThresholdOptions threshold_options_of(const SimilarityOptions& options) {
  ThresholdOptions threshold;
  threshold.seed = seed_for(options, SeedUse::threshold);
  threshold.min_words = options.min_words;
  return threshold;
}

// Why choose_engine() took the engine that it took.
std::string_view reason_of(bool automatic, const EngineReport& engine) {
  if (!automatic) return "as asked";
  if (engine.engine == EngineChoice::lsh) return "the cheaper";
  return engine.exact_seconds <= engine.lsh_seconds
             ? "the cheaper, and it misses nothing"
             : "it misses nothing, and its price is bearable";
}

// Engine and estimates, but for what the tables reach when they are taken.
EngineReport engine_report(const SimilarityOptions& options, EngineChoice engine,
                           const ExactCost& exact, const Result<TableChoice>& tables,
                           uint64_t distinct) {
  EngineReport report;
  report.automatic = options.engine == EngineChoice::automatic;
  report.engine = engine;
  report.exact_seconds = exact.seconds;
  if (!tables) {
    report.reason = fmt::format(
        "{} for {} different bags (estimated at {:.3g} s of one core); no tables reach the recall: "
        "{}",
        report.automatic ? "the only one" : "as asked", fmt::group_digits(distinct),
        report.exact_seconds, tables.error().message);
    return report;
  }
  report.lsh_seconds = tables->best().seconds;
  report.considered_threshold = tables->threshold;
  report.expected_leaders = static_cast<uint64_t>(tables->leaders);
  report.considered.assign(tables->considered.begin(), tables->considered.end());
  report.considered[tables->chosen].chosen = true;
  report.reason = fmt::format(
      "{} for {} different bags (estimates for one core: exact {:.3g} s, tables {:.3g} s)",
      reason_of(report.automatic, report), fmt::group_digits(distinct), report.exact_seconds,
      report.lsh_seconds);
  return report;
}

// Enters the tables of a run that uses them. They can pay for no threshold as low as the exact
// engine can: an automatic threshold gives way, one that the user named does not.
void enter_tables(const TableChoice& tables, Report& report) {
  ThresholdReport& threshold = report.threshold;
  if (tables.threshold > threshold.similarity) {
    threshold.reason += fmt::format("; raised from {:.2f} to what {} tables can pay for",
                                    threshold.similarity, tables.best().tables);
    threshold.similarity = tables.threshold;
  }
  EngineReport& engine = report.engine;
  engine.promised_recall = tables.best().recall;
  engine.reason += fmt::format(
      "; {} tables of {} {}{} find {:.1f} % of pairs at the threshold", tables.best().tables,
      tables.best().per_key, tables.best().per_key == 1 ? "minimum" : "minima",
      tables.considered.size() == 1
          ? ""
          : fmt::format(", the cheapest of {} choices,", tables.considered.size()),
      100 * engine.promised_recall);
}

void take_tables(const TableChoice& tables, SimilarityPlan& plan, EngineReport& report) {
  plan.tables = tables.best().params;
  plan.expected_leaders = report.expected_leaders;
  report.per_key = plan.tables.per_key;
  report.tables = plan.tables.tables;
}

}  // namespace

sketch::SketchOptions sketch_options(const SimilarityOptions& options) {
  sketch::SketchOptions sketch;
  sketch.lanes = options.lanes;
  sketch.seed = seed_for(options, SeedUse::sketch);
  return sketch;
}

Status check_tables(const SimilarityOptions& options) {
  if (!options.similarity || !needs_signatures(options.engine, options.order)) return Status::ok();
  return sketch::choose_tables(std::min(*options.similarity, 0.999), options.recall, options.lanes,
                               options.max_tables, seed_for(options, SeedUse::tables))
      .status();
}

Result<SimilarityPlan> make_plan(const sketch::BagCollection& bags,
                                 std::span<const uint8_t> is_page, const similar::Classes& classes,
                                 const SimilarityOptions& options, ThreadPool& pool,
                                 Report& report) {
  SimilarityPlan plan;
  plan.classes = classes;
  plan.groups = similar::find_duplicates(bags, pool, classes);
  report.bags.duplicates = plan.groups.duplicates();
  const uint64_t distinct = similar::distinct_bags(bags, plan.groups).size();

  ThresholdOptions without_classes = threshold_options_of(options);
  without_classes.is_page = is_page;
  ThresholdOptions threshold_options =
      classes.has_one() ? without_classes : within_classes(without_classes, classes);
  ThresholdChoice threshold = choose_threshold(bags, plan.groups, threshold_options, pool);
  // Where no class is large enough the threshold is that without classes.
  if (threshold.queries == 0 && !classes.has_one()) {
    threshold_options = without_classes;
    threshold = choose_threshold(bags, plan.groups, threshold_options, pool);
  }
  report.threshold = threshold_report(options, threshold_options, threshold);

  const PairStatistics statistics(threshold.sample, plan.groups, distinct);
  JobShape job = job_shape(bags.size(), bags.entries().size(), distinct, options);
  job.meetings =
      sample_meetings(bags, plan.groups, bucket_sample(options, report.threshold.similarity), pool);
  const auto tables = choose_table_costs(statistics, job, table_request(options, report.threshold));
  if (!tables && needs_signatures(options.engine, options.order)) return tables.error();
  const ExactCost exact =
      cost_of_exact(bags, threshold.sample, statistics, job, report.threshold.similarity);
  const EngineChoice engine = choose_engine(
      exact, tables ? std::optional(tables->best().seconds) : std::nullopt, options.engine);

  report.engine = engine_report(options, engine, exact, tables, distinct);
  plan.engine = report.engine.engine;
  if (needs_signatures(plan.engine, options.order)) take_tables(*tables, plan, report.engine);
  if (plan.engine == EngineChoice::lsh) enter_tables(*tables, report);
  plan.min_sum = sketch::min_sum_of_minima(report.threshold.similarity);
  return plan;
}

SimilarityPlan plan_of(const sketch::BagCollection& bags, const Report& report, ThreadPool& pool,
                       const similar::Classes& classes) {
  SimilarityPlan plan;
  plan.classes = classes;
  plan.groups = similar::find_duplicates(bags, pool, classes);
  plan.min_sum = sketch::min_sum_of_minima(report.threshold.similarity);
  plan.engine = report.engine.engine;
  plan.tables.lanes = report.options.lanes;
  plan.tables.per_key = report.engine.per_key;
  plan.tables.tables = report.engine.tables;
  plan.tables.seed = seed_for(report.options, SeedUse::tables);
  plan.expected_leaders = std::min<uint64_t>(report.engine.expected_leaders, bags.size());
  return plan;
}

}  // namespace kith::cluster
