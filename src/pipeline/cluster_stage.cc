#include "pipeline/cluster_stage.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "cluster/clustering.h"
#include "cluster/groups.h"
#include "cluster/labels.h"
#include "cluster/leader/index.h"
#include "cluster/lsh_buckets.h"
#include "cluster/order.h"
#include "index/clusters.h"
#include "pairs/duplicates.h"
#include "pipeline/cluster_file.h"
#include "run/memory_budget.h"

namespace kith::pipeline {
namespace {

uint64_t count_filled(const BagCollection& bags) {
  uint64_t filled = 0;
  for (size_t id = 0; id < bags.size(); ++id) filled += !bags[id].empty();
  return filled;
}

std::vector<uint64_t> widen(std::span<const uint32_t> values) {
  return {values.begin(), values.end()};
}

uint64_t memory_of(const ClusterInputs& inputs) {
  return working_memory(inputs.memory, inputs.bags->size());
}

uint64_t shared_bytes(const ClusterInputs& inputs) {
  return cluster::SharedTables::bytes(inputs.bags->size(), inputs.plan->tables.tables);
}

cluster::LshBuckets scan_buckets(const ClusterInputs& inputs, ThreadPool& pool) {
  const pairs::DuplicateGroups& groups = inputs.plan->groups;
  // Members of large buckets lie all over the signatures: given back as they are read, these would
  // be mapped again and again. There is little else in memory yet.
  Signatures signatures = inputs.signatures->signatures();
  const uint64_t bytes = signatures.size() * signatures.lanes() * sizeof(uint16_t);
  if (bytes <= memory_of(inputs) / 2) signatures.stay();
  const uint64_t scan_memory =
      memory_of(inputs) - std::min(memory_of(inputs), shared_bytes(inputs));
  const double threshold = similarity_of(inputs.plan->min_sum);
  const cluster::BucketOptions options{
      .memory = scan_memory, .pivots = pairs::close_pivot_rule(threshold, signatures.lanes())};
  auto buckets = cluster::scan_buckets(lsh::Tables(inputs.plan->tables), signatures,
                                       pairs::distinct_bags(*inputs.bags, groups),
                                       groups.multiplicity, options, pool);
  inputs.signatures->signatures().release(0, signatures.size());
  // A duplicate has the mass of its representative.
  for (size_t id = 0; id < signatures.size(); ++id) {
    buckets.mass[id] = buckets.mass[groups.representative[id]];
  }
  return buckets;
}

// mass: by id; empty unless the order is by mass.
std::vector<uint32_t> scan_order(Order order, const ClusterInputs& inputs,
                                 std::span<const uint64_t> mass, uint64_t seed, ThreadPool& pool) {
  const size_t n = inputs.bags->size();
  switch (order) {
    case Order::degree:
      return cluster::order_by_key(widen(inputs.degrees), pool);
    case Order::inlinks:
      return cluster::order_by_key(widen(inputs.inlinks), pool);
    case Order::mass:
      return cluster::order_by_key(mass, pool);
    case Order::random:
      return cluster::random_order(n, mix64(seed));
    case Order::url:
    case Order::automatic:
      break;
  }
  return cluster::order_by_id(n);
}

// The rows of `order`, and where they lie: as they are where all of the collection fits beside
// `others` bytes (rows in any order bring in most of what they lie among), else in files.
struct PlacedRows {
  cluster::OrderedRows rows;
  uint64_t resident;  // bytes
};

Result<PlacedRows> place_rows(const ClusterInputs& inputs, const Signatures& signatures,
                              std::span<const uint32_t> order, uint64_t others) {
  const uint64_t memory = memory_of(inputs);
  const double mean = cluster::OrderedRows::mean_bytes(*inputs.bags, signatures);
  const auto all = static_cast<uint64_t>(mean * static_cast<double>(inputs.bags->size()));
  constexpr uint64_t max_part = 256 << 20;
  const uint64_t part = std::min(memory / 16, max_part);
  const bool fit = all + others <= memory;
  const auto spill = fit ? cluster::RowSpill{} : cluster::RowSpill{inputs.fs, inputs.scratch, part};
  KITH_ASSIGN(auto rows, cluster::OrderedRows::make(*inputs.bags, signatures, order, spill));
  return PlacedRows{std::move(rows), fit ? all : part};
}

// How the memory is shared out between the rows, the leaders, and those that ask at once.
Result<cluster::LeaderResult> find_lsh_leaders(const ClusterInputs& inputs,
                                               const cluster::LshBuckets& buckets,
                                               std::span<const uint32_t> order,
                                               cluster::LeaderOptions leader, ThreadPool& pool,
                                               const cluster::LeaderProgress& progress) {
  // Tables are passed over for every stretch, so that its length should grow with them.
  constexpr uint64_t min_stretch = 512;
  const uint64_t longest_stretch = std::max<uint64_t>(1 << 17, order.size() / 64);
  const Signatures& signatures = inputs.signatures->signatures();
  const uint64_t fixed = shared_bytes(inputs) + cluster::directory_bytes(buckets);
  const uint64_t memory = memory_of(inputs) - std::min(memory_of(inputs), fixed);
  const uint64_t asking = cluster::asking_bytes(buckets.tables.params());
  leader.stretch = std::clamp<uint64_t>(memory / 8 / asking, min_stretch, longest_stretch);
  leader.max_found = std::clamp<uint64_t>(memory / 8 / cluster::pair_bytes, 1 << 12, 1 << 25);
  leader.max_pairs = std::min(leader.max_pairs, leader.max_found);
  // The plan guesses from a sample, which may see too few.
  const uint64_t expected = std::max(inputs.plan->expected_leaders, order.size() / 2);
  const uint64_t lean = cluster::leader_bytes(0, buckets, order.size());
  const uint64_t others = leader.stretch * asking + leader.max_found * cluster::pair_bytes;
  KITH_ASSIGN(PlacedRows placed, place_rows(inputs, signatures, order, others + expected * lean));
  const double row = cluster::OrderedRows::mean_bytes(*inputs.bags, signatures);
  const uint64_t bytes =
      placed.rows.stay() ? lean : cluster::leader_bytes(row, buckets, order.size());
  // An eighth stays free for what is not counted: lists that have room to grow, the heap's gaps.
  const uint64_t taken = std::min(memory, placed.resident + others + memory / 8);
  leader.max_leaders = std::max<uint64_t>(min_stretch, (memory - taken) / bytes);
  auto result =
      cluster::lsh_leaders(inputs.bags->size(), placed.rows, buckets, leader, pool, progress);
  inputs.bags->release(0, inputs.bags->size());
  signatures.release(0, signatures.size());
  return result;
}

// The same for the exact engine, whose leaders take what their words take.
Result<cluster::LeaderResult> find_exact_leaders(const ClusterInputs& inputs,
                                                 std::span<const uint32_t> order,
                                                 cluster::LeaderOptions leader, ThreadPool& pool,
                                                 const cluster::LeaderProgress& progress) {
  const uint64_t memory = memory_of(inputs);
  // If every second id is a leader: 16 bytes per entry in lists that have grown.
  const uint64_t expected = inputs.bags->entries().size_bytes();
  KITH_ASSIGN(PlacedRows placed, place_rows(inputs, {}, order, expected));
  const uint64_t taken = std::min(memory, placed.resident + memory / 8);
  leader.max_bytes = memory - taken;
  auto result = cluster::exact_leaders(inputs.bags->size(), placed.rows, leader, pool, progress);
  inputs.bags->release(0, inputs.bags->size());
  return result;
}

// The terms of all labels, cluster by cluster.
struct LabelArrays {
  std::vector<uint32_t> terms;
  std::vector<uint64_t> terms_at{0};
};

Result<LabelArrays> label_arrays(const ClusterInputs& inputs, const cluster::ClusterLists& lists,
                                 ThreadPool& pool) {
  // Tables by term: the frequencies, and one for each thread that makes labels. A dictionary of
  // which two do not fit half the memory was refused when it was made.
  const uint64_t table = inputs.terms * sizeof(uint32_t) + 1;
  const uint64_t max_tables = memory_of(inputs) / 2 / table;
  cluster::LabelOptions options;
  options.threads = static_cast<unsigned>(std::clamp<uint64_t>(max_tables, 2, pool.size() + 1)) - 1;
  const std::vector<uint32_t> frequency =
      cluster::count_document_frequencies(*inputs.bags, inputs.terms, pool);
  const uint64_t documents = count_filled(*inputs.bags);
  const auto members = lists.ids().first(lists.offsets()[lists.groups()]);
  KITH_ASSIGN(PlacedRows placed, place_rows(inputs, {}, members, (options.threads + 1) * table));
  KITH_ASSIGN(const cluster::ClusterLabels labels,
              cluster::label_clusters(placed.rows, lists, frequency, documents, options, pool));
  inputs.bags->release(0, inputs.bags->size());
  LabelArrays arrays;
  arrays.terms_at.reserve(labels.size() + 1);
  for (size_t i = 0; i < labels.size(); ++i) {
    for (const cluster::Label& label : labels[i]) arrays.terms.push_back(label.term);
    arrays.terms_at.push_back(arrays.terms.size());
  }
  return arrays;
}

}  // namespace

Status check_table_memory(const ClusterInputs& inputs) {
  const uint32_t tables = inputs.plan->tables.tables;
  // Beside what is shared, a directory of the leaders.
  const uint64_t bytes = bytes_of_url + cluster::SharedTables::bytes(1, tables) + tables / 8;
  return check_memory(inputs.memory, inputs.bags->size(), fmt::format("URLs in {} tables", tables),
                      bytes);
}

Result<ClusterCounts> write_clusters(const std::string& path, const ClusterInputs& inputs,
                                     const ClusterOptions& options, ThreadPool& pool,
                                     const ProgressCallback& progress) {
  const bool exact = inputs.plan->engine == EngineChoice::exact;
  const Order order = cluster::resolve_order(options.order, exact);
  std::optional<cluster::LshBuckets> buckets;
  if (!exact || order == Order::mass) buckets = scan_buckets(inputs, pool);
  const auto mass = buckets ? buckets->mass.span() : std::span<uint64_t>();
  const std::vector<uint32_t> ids = scan_order(order, inputs, mass, options.seed, pool);
  if (buckets) buckets->mass = {};

  cluster::LeaderOptions leader;
  leader.min_sum = inputs.plan->min_sum;
  leader.assign = options.assign;
  const auto show = [&](double share) {
    if (progress) progress({"cluster", share, 1.0, ""});
  };
  const auto& representative = inputs.plan->groups.representative;
  cluster::Clustering clustering;
  cluster::LeaderStats spent;
  {
    const std::vector<uint32_t> groups = cluster::collapse_order(ids, representative);
    KITH_ASSIGN(const cluster::LeaderResult leaders,
                exact ? find_exact_leaders(inputs, groups, leader, pool, show)
                      : find_lsh_leaders(inputs, *buckets, groups, leader, pool, show));
    clustering = cluster::expand_groups(leaders.clustering, ids, representative, pool);
    spent = leaders.stats;
  }
  const pairs::SplitStats split = exact ? pairs::SplitStats() : buckets->split;
  buckets.reset();
  KITH_ASSIGN(ClusterCounts counts, write_clustering(path, clustering, inputs, pool));
  counts.phases = spent.phases;
  counts.probes = spent.probes;
  counts.candidates = spent.candidates;
  counts.exact_checks = spent.merges;
  counts.split_buckets = split.buckets;
  counts.split_members = split.members;
  counts.largest_split = split.largest;
  counts.order = order;
  return counts;
}

Result<ClusterCounts> write_clustering(const std::string& path,
                                       const cluster::Clustering& clustering,
                                       const ClusterInputs& inputs, ThreadPool& pool) {
  const cluster::ClusterLists lists(clustering, pool);
  KITH_ASSIGN(const LabelArrays labels, label_arrays(inputs, lists, pool));

  index::ClusterArrays arrays;
  arrays.center = clustering.center;
  arrays.sum_of_minima = clustering.sum_of_minima;
  arrays.members = lists.ids();
  arrays.members_at = lists.offsets();
  arrays.labels = labels.terms;
  arrays.labels_at = labels.terms_at;
  KITH_TRY(index::write_clusters(*inputs.fs, path, arrays));

  ClusterCounts counts;
  counts.clusters = lists.groups();
  counts.singles = lists.singles();
  counts.clustered = clustering.size() - lists.singles();
  counts.largest = lists.largest();
  return counts;
}

}  // namespace kith::pipeline
