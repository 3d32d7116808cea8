#include "cluster/plan/table_costs.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel/radix_sort.h"
#include "sketch/lsh/tables.h"

namespace kith::cluster {
namespace {

constexpr uint32_t sampled_tables = 16;

// The signatures of some of the representatives, side by side.
struct SignatureSample {
  std::vector<uint16_t> values;
  uint32_t lanes = 0;
  double share = 1;  // of the representatives

  size_t size() const { return values.size() / lanes; }
};

// Which of so many representatives are in the sample, ascending.
std::vector<uint64_t> sample_places(uint64_t representatives, const BucketSampleOptions& options) {
  const auto requested =
      static_cast<uint64_t>(options.share * static_cast<double>(representatives));
  const uint64_t size = std::min(representatives, std::max<uint64_t>(requested, options.least));
  std::vector<uint64_t> places(size);
  for (uint64_t i = 0; i < size; ++i) places[i] = i * representatives / size;
  return places;
}

SignatureSample draw(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                     const BucketSampleOptions& options, ThreadPool& pool) {
  const std::vector<uint32_t> ids = similar::distinct_bags(bags, groups);
  const std::vector<uint64_t> places = sample_places(ids.size(), options);
  SignatureSample sample;
  sample.lanes = options.sketch.lanes;
  sample.values.resize(places.size() * sample.lanes);
  sample.share =
      static_cast<double>(places.size()) / static_cast<double>(std::max<size_t>(1, ids.size()));
  const sketch::Sketcher sketcher(options.sketch);
  constexpr size_t grain = 256;
  pool.for_chunks(places.size(), grain, [&](size_t begin, size_t end, unsigned) {
    std::vector<sketch::BagEntry> buffer;
    for (size_t i = begin; i < end; ++i) {
      sketcher.sketch(bags.read(ids[places[i]], buffer),
                      std::span(sample.values).subspan(i * sample.lanes, sample.lanes));
    }
  });
  return sample;
}

// Members of a bucket that stay together in it.
double in_whole_parts(std::span<const KeyId> bucket, const SignatureSample& sample,
                      const similar::PivotRule& rule) {
  if (rule.tight == 0) return 0;
  std::vector<std::span<const uint16_t>> rows;
  for (const KeyId& member : bucket) {
    rows.push_back(
        std::span(sample.values).subspan(size_t{member.id} * sample.lanes, sample.lanes));
  }
  return static_cast<double>(similar::rows_in_whole_parts(rows, rule));
}

// The sum over the members of all buckets of a table.
Meeting meetings_in(const sketch::Tables& tables, uint32_t table, const SignatureSample& sample,
                    const BucketSampleOptions& options) {
  const auto largest = static_cast<double>(options.largest);
  std::vector<KeyId> entries(sample.size());
  std::vector<KeyId> scratch(sample.size());
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const auto signature = std::span(sample.values).subspan(size_t{i} * sample.lanes, sample.lanes);
    entries[i] = {tables.key(table, signature), i};
  }
  radix_sort(entries, scratch);
  Meeting sum;
  sketch::for_each_bucket(std::span<const KeyId>(entries), [&](std::span<const KeyId> bucket) {
    const auto members = static_cast<double>(bucket.size());
    const double others = (members - 1) / sample.share;
    sum.others += members * std::min(others, largest - 1);
    if (others > largest - 1) sum.split += members - in_whole_parts(bucket, sample, options.pivots);
  });
  return sum;
}

}  // namespace

Meetings sample_meetings(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                         const BucketSampleOptions& options, ThreadPool& pool) {
  const SignatureSample sample = draw(bags, groups, options, pool);
  Meetings meetings{};
  if (sample.size() == 0) return meetings;
  const uint32_t most = std::min(sketch::max_per_key, sample.lanes);
  pool.for_chunks(most, 1, [&](size_t begin, size_t, unsigned) {
    const auto per_key = static_cast<uint32_t>(begin + 1);
    const sketch::Tables tables({.lanes = sample.lanes,
                                 .per_key = per_key,
                                 .tables = sampled_tables,
                                 .seed = options.seed});
    Meeting& mean = meetings[per_key];
    const double entries = sampled_tables * static_cast<double>(sample.size());
    for (uint32_t table = 0; table < sampled_tables; ++table) {
      const Meeting sum = meetings_in(tables, table, sample, options);
      mean.others += sum.others / entries;
      mean.split += sum.split / entries;
    }
  });
  return meetings;
}

namespace {

// The lowest bin that stands for a similarity of at least s.
uint32_t first_bin(double s) {
  uint32_t bin = 0;
  while (bin < evaluate::SimilarityHistogram::bins &&
         evaluate::SimilarityHistogram::similarity_at(bin) < s)
    ++bin;
  return bin;
}

}  // namespace

PairStatistics::PairStatistics(const evaluate::BruteForceResult& sample,
                               const similar::DuplicateGroups& groups, uint64_t distinct)
    : others_(std::max(1.0, static_cast<double>(distinct) - 1)) {
  double weights = 0;
  for (const evaluate::QueryTruth& query : sample.queries) {
    queries_.push_back({1.0 / groups.multiplicity[query.id], &query.histogram});
    weights += queries_.back().weight;
  }
  for (Query& query : queries_) {
    query.weight /= weights;
    for (uint32_t bin = 0; bin < evaluate::SimilarityHistogram::bins; ++bin) {
      shares_[bin] += query.weight * static_cast<double>(query.histogram->count(bin)) / others_;
    }
  }
}

double PairStatistics::share_above(double s) const {
  double sum = 0;
  for (uint32_t bin = first_bin(s); bin < evaluate::SimilarityHistogram::bins; ++bin)
    sum += shares_[bin];
  return sum;
}

double PairStatistics::leader_share(double s, double n) const {
  const double growth = n / (others_ + 1);
  const uint32_t first = first_bin(s);
  double sum = 0;
  for (const Query& query : queries_) {
    uint64_t degree = 0;
    for (uint32_t bin = first; bin < evaluate::SimilarityHistogram::bins; ++bin) {
      degree += query.histogram->count(bin);
    }
    sum += query.weight / (growth * static_cast<double>(degree) + 1);
  }
  return sum;
}

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
