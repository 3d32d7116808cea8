#include "cluster/plan/table_costs.h"

#include <algorithm>
#include <optional>

#include "cluster/plan/operation_costs.h"

namespace kith::cluster {
namespace {

// Signatures let pairs a little below the threshold through to the exact comparison.
constexpr double near_threshold = 0.8;

// Compared are the pairs that meet in a bucket, or a part of one, once for every table they meet
// in.
struct Operations {
  double sign_entries = 0;
  double sorts = 0;
  double join_compares = 0;
  double leader_probes = 0;
  double leader_compares = 0;
  double merges = 0;
};

void add_join(const PairStatistics& pairs, const JobShape& job, double threshold,
              const sketch::TableParams& tables, Operations& operations) {
  const auto n = static_cast<double>(job.distinct_bags);
  operations.sorts += n * tables.tables * (job.sorts_mass ? 2 : 1);
  operations.join_compares += n / 2 * tables.tables * job.meetings[tables.per_key].others;
  // The K nearest are some merges more than K while the lists grow.
  operations.merges +=
      n * 1.5 * job.top + n * n / 2 * pairs.share_above(near_threshold * threshold);
}

// Bags meet half of the leaders on average, and are compared with the earliest first: with one
// that holds, if any, and with those near the threshold before it.
void add_leaders(const PairStatistics& pairs, const JobShape& job,
                 const sketch::TableParams& tables, double threshold, double leaders,
                 Operations& operations) {
  const auto n = static_cast<double>(job.distinct_bags);
  operations.leader_probes += (n + leaders) * tables.tables;
  operations.leader_compares += leaders / 2 * tables.tables * job.meetings[tables.per_key].others;
  const double near = pairs.share_above(near_threshold * threshold) - pairs.share_above(threshold);
  operations.merges += n + n * leaders / 2 * near;
}

double seconds(const Operations& operations, const sketch::TableParams& tables,
               double leader_bytes) {
  const double probe = leader_bytes > cluster::cost::cache_bytes ? cluster::cost::probe_memory
                                                                 : cluster::cost::probe_cache;
  return 1e-9 * (operations.sign_entries * tables.lanes * cluster::cost::sign +
                 operations.sorts * cluster::cost::sort +
                 operations.join_compares * cluster::cost::join_compare +
                 operations.leader_probes * probe +
                 operations.leader_compares * cluster::cost::leader_compare +
                 operations.merges * cluster::cost::merge);
}

// The cheapest tables for one threshold.
Result<TableChoice> choose_at(double threshold, const PairStatistics& pairs, const JobShape& job,
                              const TableRequest& request) {
  // The formula wants a similarity below 1; pairs at 1 are found by any table.
  KITH_ASSIGN(const auto choices,
              sketch::table_choices(std::min(threshold, 0.999), request.recall, request.lanes,
                                    request.max_tables, request.seed));
  TableChoice choice;
  choice.threshold = threshold;
  choice.leaders = expected_leaders(pairs, job, threshold);
  const auto split = [&](const sketch::TableParams& tables) {
    return job.meetings[tables.per_key].split;
  };
  const double bound = std::max(max_split, split(*std::ranges::min_element(choices, {}, split)));
  for (const sketch::TableParams& tables : choices) {
    if (split(tables) > bound) continue;
    choice.considered.push_back(cost_of_tables(pairs, job, threshold, choice.leaders, tables));
  }
  const auto cheapest = std::ranges::min_element(choice.considered, {}, &TableCost::seconds);
  choice.chosen = static_cast<size_t>(cheapest - choice.considered.begin());
  return choice;
}

}  // namespace

double expected_leaders(const PairStatistics& pairs, const JobShape& job, double threshold) {
  const auto n = static_cast<double>(job.distinct_bags);
  return n * pairs.leader_share(threshold, n);
}

TableCost cost_of_tables(const PairStatistics& pairs, const JobShape& job, double threshold,
                         double leaders, const sketch::TableParams& tables) {
  const auto n = static_cast<double>(job.distinct_bags);
  Operations operations;
  operations.sign_entries = n * (job.entries_per_bag + cluster::cost::sign_copies);
  add_join(pairs, job, threshold, tables, operations);
  add_leaders(pairs, job, tables, threshold, leaders, operations);

  TableCost cost;
  cost.params = tables;
  cost.per_key = tables.per_key;
  cost.tables = tables.tables;
  cost.recall = sketch::collision_probability(threshold, tables);
  cost.probes = operations.sorts + operations.leader_probes;
  cost.candidates = operations.join_compares + operations.leader_compares;
  cost.exact_checks = operations.merges;
  cost.memory = leaders * tables.tables * cluster::cost::leader_entry_bytes;
  cost.seconds = seconds(operations, tables, cost.memory);
  return cost;
}

double affordable_seconds(const JobShape& job) {
  return std::max(120.0, 0.5e-3 * static_cast<double>(job.distinct_bags));
}

Result<TableChoice> choose_table_costs(const PairStatistics& pairs, const JobShape& job,
                                       const TableRequest& request) {
  auto lowest = choose_at(request.threshold, pairs, job, request);
  if (!request.may_rise) return lowest;
  const double affordable = affordable_seconds(job);
  std::optional<TableChoice> reachable;
  for (int step = 0; request.threshold + 0.01 * step < 0.995; ++step) {
    auto choice = choose_at(request.threshold + 0.01 * step, pairs, job, request);
    if (!choice) continue;
    if (choice->best().seconds <= affordable) return choice;
    if (!reachable) reachable = *choice;
  }
  if (reachable) return *reachable;
  return lowest;
}

}  // namespace kith::cluster
