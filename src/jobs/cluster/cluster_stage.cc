#include "jobs/cluster/cluster_stage.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bags/tables.h"
#include "base/hash.h"
#include "cluster/clustering.h"
#include "cluster/labels.h"
#include "cluster/leader/index.h"
#include "cluster/lsh_buckets.h"
#include "cluster/order.h"
#include "run/index_files.h"
#include "run/memory_budget.h"
#include "similar/duplicates.h"

namespace kith::jobs {
namespace {

uint32_t words_of(const sketch::BagCollection& bags, size_t id) {
  return static_cast<uint32_t>(bags.offsets()[id + 1] - bags.offsets()[id]);
}

// Pages come first, in their order, then those that are lists of links, then what was not fetched:
// what comes early becomes a center, and stands for others.
void put_pages_first(const bags::UrlTable& urls, std::vector<uint32_t>& order) {
  const auto rank = [&](uint32_t id) {
    const auto page = urls.page(id);
    return page ? unsigned{page->is_list} : 2;
  };
  const auto lists =
      std::stable_partition(order.begin(), order.end(), [&](uint32_t id) { return rank(id) < 1; });
  std::stable_partition(lists, order.end(), [&](uint32_t id) { return rank(id) < 2; });
}

// Of `order`, the URLs with so many different words; the others are in no cluster but with copies.
std::vector<uint32_t> with_words(std::vector<uint32_t> order, const sketch::BagCollection& bags,
                                 uint32_t min_words) {
  std::erase_if(order, [&](uint32_t id) { return words_of(bags, id) < min_words; });
  return order;
}

// URLs of few words that have no copy.
uint64_t count_few_words(const ClusterInputs& inputs, uint32_t min_words) {
  const similar::DuplicateGroups& groups = inputs.plan->groups;
  uint64_t few = 0;
  for (uint32_t id = 0; id < inputs.bags->size(); ++id) {
    const uint32_t words = words_of(*inputs.bags, id);
    few += words > 0 && words < min_words && !groups.has_copies(id);
  }
  return few;
}

std::vector<uint64_t> widen(std::span<const uint32_t> values) {
  return {values.begin(), values.end()};
}

uint64_t shared_bytes(const ClusterInputs& inputs) {
  return cluster::SharedTables::bytes(inputs.bags->size(), inputs.plan->tables.tables);
}

cluster::LshBuckets scan_buckets(const ClusterInputs& inputs, ThreadPool& pool) {
  const similar::DuplicateGroups& groups = inputs.plan->groups;
  // Members of large buckets lie all over the signatures: given back as they are read, these would
  // be mapped again and again. There is little else in memory yet.
  sketch::Signatures signatures = inputs.signatures->signatures();
  const uint64_t bytes = signatures.size() * signatures.lanes() * sizeof(uint16_t);
  Budget memory = memory_of(inputs).without(Share::shared_tables, shared_bytes(inputs));
  if (bytes <= part_of(memory.bytes(), Share::kept_signatures)) {
    signatures.stay();
    memory = memory.without(Share::kept_signatures, bytes);
  }
  const double threshold = sketch::similarity_of(inputs.plan->min_sum);
  const cluster::BucketOptions options{
      .memory = memory.bytes(),
      .classes = inputs.plan->classes,
      .pivots = similar::close_pivot_rule(threshold, signatures.lanes())};
  auto buckets = cluster::scan_buckets(sketch::Tables(inputs.plan->tables), signatures,
                                       similar::distinct_bags(*inputs.bags, groups),
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
      return cluster::order_by_key(widen(inputs.neighbours->degrees()), pool);
    case Order::inlinks:
      return cluster::order_by_key(widen(inputs.urls->inlinks()), pool);
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

// How the memory is shared out between the rows, the leaders, and those that ask at once.
Result<cluster::LeaderResult> find_lsh_leaders(const ClusterInputs& inputs,
                                               const cluster::LshBuckets& buckets,
                                               std::span<const uint32_t> order,
                                               cluster::LeaderOptions leader, ThreadPool& pool,
                                               const cluster::LeaderProgress& progress) {
  // Tables are passed over for every stretch, so that its length should grow with them.
  constexpr uint64_t min_stretch = 512;
  const uint64_t longest_stretch = std::max<uint64_t>(1 << 17, order.size() / 64);
  const sketch::Signatures& signatures = inputs.signatures->signatures();
  const uint64_t fixed = shared_bytes(inputs) + cluster::directory_bytes(buckets);
  const Budget memory = memory_of(inputs).without(Share::shared_tables, fixed);
  const uint64_t asking = cluster::asking_bytes(buckets.tables.params());
  leader.stretch =
      std::clamp<uint64_t>(memory.bytes(Share::asking) / asking, min_stretch, longest_stretch);
  leader.max_found = std::clamp<uint64_t>(memory.bytes(Share::found_pairs) / cluster::pair_bytes,
                                          1 << 12, 1 << 25);
  leader.max_pairs = std::min(leader.max_pairs, leader.max_found);
  // The plan guesses from a sample, which may see too few.
  const uint64_t expected = std::max(inputs.plan->expected_leaders, order.size() / 2);
  const uint64_t lean = cluster::leader_bytes(0, buckets, order.size());
  const uint64_t others = leader.stretch * asking + leader.max_found * cluster::pair_bytes;
  // A part of as many rows as a stretch is not divided into a long stretch and a short one.
  KITH_ASSIGN(PlacedRows placed, place_rows(inputs, signatures, order, others + expected * lean,
                                            pool, leader.stretch));
  const double row = cluster::OrderedRows::mean_bytes(*inputs.bags, signatures);
  const uint64_t bytes =
      placed.rows.stay() ? lean : cluster::leader_bytes(row, buckets, order.size());
  // Not counted are lists that have room to grow, and the heap's gaps.
  const uint64_t taken =
      std::min(memory.bytes(), placed.resident + others + memory.bytes(Share::uncounted));
  leader.max_leaders = std::max<uint64_t>(min_stretch, (memory.bytes() - taken) / bytes);
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
  const Budget memory = memory_of(inputs);
  // If every second id is a leader: 16 bytes per entry in lists that have grown.
  const uint64_t expected = inputs.bags->entries().size_bytes();
  KITH_ASSIGN(PlacedRows placed, place_rows(inputs, {}, order, expected, pool));
  const uint64_t taken = std::min(memory.bytes(), placed.resident + memory.bytes(Share::uncounted));
  leader.max_bytes = memory.bytes() - taken;
  auto result = cluster::exact_leaders(inputs.bags->size(), placed.rows, leader, pool, progress);
  inputs.bags->release(0, inputs.bags->size());
  return result;
}

}  // namespace

Status check_table_memory(const ClusterInputs& inputs) {
  const uint32_t tables = inputs.plan->tables.tables;
  // Beside what is shared, a directory of the leaders.
  const uint64_t bytes = run::bytes_of_url + cluster::SharedTables::bytes(1, tables) + tables / 8;
  return run::check_memory(inputs.memory, inputs.bags->size(),
                           fmt::format("URLs in {} tables", tables), bytes);
}

Result<ClusterCounts> write_clusters(const std::string& path, const ClusterInputs& inputs,
                                     const SimilarityOptions& options, ThreadPool& pool,
                                     const ProgressCallback& progress) {
  const bool exact = inputs.plan->engine == EngineChoice::exact;
  const Order order = cluster::resolve_order(options.order, exact);
  std::optional<cluster::LshBuckets> buckets;
  if (!exact || order == Order::mass) buckets = scan_buckets(inputs, pool);
  const auto mass = buckets ? buckets->mass.span() : std::span<uint64_t>();
  std::vector<uint32_t> ids = with_words(scan_order(order, inputs, mass, options.seed, pool),
                                         *inputs.bags, options.min_words);
  if (options.order == Order::automatic) put_pages_first(*inputs.urls, ids);
  if (buckets) buckets->mass = {};

  cluster::LeaderOptions leader;
  leader.min_sum = inputs.plan->min_sum;
  leader.assign = options.assign;
  leader.classes = inputs.plan->classes;
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
  const similar::SplitStats split = exact ? similar::SplitStats() : buckets->split;
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
  counts.few_words = count_few_words(inputs, options.min_words);
  return counts;
}

Budget memory_of(const ClusterInputs& inputs) {
  return run::working_memory(inputs.memory, inputs.bags->size());
}

Result<PlacedRows> place_rows(const ClusterInputs& inputs, const sketch::Signatures& signatures,
                              std::span<const uint32_t> order, uint64_t others, ThreadPool& pool,
                              size_t part_rows) {
  const Budget memory = memory_of(inputs);
  const double mean = cluster::OrderedRows::mean_bytes(*inputs.bags, signatures);
  const auto all = static_cast<uint64_t>(mean * static_cast<double>(inputs.bags->size()));
  constexpr uint64_t max_part = 256 << 20;
  const uint64_t part = std::min(memory.bytes(Share::row_part), max_part);
  const bool fit = all + others <= memory.bytes();
  const auto spill = fit ? cluster::RowSpill{}
                         : cluster::RowSpill{inputs.fs, &pool, inputs.scratch, part, part_rows};
  KITH_ASSIGN(auto rows, cluster::OrderedRows::make(*inputs.bags, signatures, order, spill));
  return PlacedRows{std::move(rows), fit ? all : part};
}

namespace {

uint64_t count_filled(const sketch::BagCollection& bags) {
  const auto offsets = bags.offsets();
  uint64_t filled = 0;
  for (size_t id = 0; id < bags.size(); ++id) filled += offsets[id] < offsets[id + 1];
  return filled;
}

// By cluster of two or more; empty when the run has no neighbours.
std::vector<uint32_t> find_nearest(const ClusterInputs& inputs, const cluster::ClusterLists& lists,
                                   ThreadPool& pool) {
  if (inputs.neighbours == nullptr) return {};
  const run::Neighbours& neighbours = *inputs.neighbours;
  cluster::NearestClusters nearest(lists, neighbours.size());
  constexpr size_t grain = 1 << 14;
  pool.for_chunks(neighbours.size(), grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t id = begin; id < end; ++id) nearest.add(static_cast<uint32_t>(id), neighbours[id]);
    neighbours.release();
  });
  return nearest.finish();
}

// The terms of all labels, cluster by cluster.
struct LabelArrays {
  std::vector<uint32_t> terms;
  std::vector<uint64_t> terms_at{0};
};

// Tables by term: the frequencies, and one for each thread that makes labels. A dictionary of
// which two do not fit was refused when it was made.
unsigned label_threads(const ClusterInputs& inputs, uint64_t table, unsigned threads) {
  const uint64_t max_tables = memory_of(inputs).bytes(Share::label_tables) / table;
  return static_cast<unsigned>(std::clamp<uint64_t>(max_tables, 2, threads + 1)) - 1;
}

Result<LabelArrays> label_arrays(const ClusterInputs& inputs, const cluster::ClusterLists& lists,
                                 const cluster::Hosts& hosts, ThreadPool& pool) {
  const std::vector<uint32_t> nearest = find_nearest(inputs, lists, pool);
  const uint64_t table = inputs.terms * sizeof(uint32_t) + 1;
  cluster::LabelOptions options;
  options.threads = label_threads(inputs, table, pool.size());
  options.memory = memory_of(inputs).bytes(Share::label_terms);
  const std::vector<uint32_t> frequency =
      cluster::count_document_frequencies(*inputs.bags, inputs.terms, pool);
  const cluster::LabelContext context{*inputs.bags, &hosts, frequency, count_filled(*inputs.bags),
                                      nearest};
  const auto members = lists.ids().first(lists.offsets()[lists.groups()]);
  const uint64_t others = (options.threads + 1) * table + options.memory;
  KITH_ASSIGN(PlacedRows placed, place_rows(inputs, {}, members, others, pool));
  KITH_ASSIGN(const cluster::ClusterLabels labels,
              cluster::label_clusters(placed.rows, lists, context, options, pool));
  inputs.bags->release(0, inputs.bags->size());
  LabelArrays arrays;
  arrays.terms_at.reserve(labels.size() + 1);
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto label = labels[i];
    arrays.terms.insert(arrays.terms.end(), label.begin(), label.end());
    arrays.terms_at.push_back(arrays.terms.size());
  }
  return arrays;
}

}  // namespace

Result<ClusterCounts> write_clustering(const std::string& path,
                                       const cluster::Clustering& clustering,
                                       const ClusterInputs& inputs, ThreadPool& pool) {
  const cluster::ClusterLists lists(clustering, pool);
  const std::vector<uint32_t> hosts = bags::first_ids_of_hosts(*inputs.urls);
  KITH_ASSIGN(const LabelArrays labels,
              label_arrays(inputs, lists, cluster::Hosts(hosts, *inputs.bags), pool));

  run::ClusterArrays arrays;
  arrays.center = clustering.center;
  arrays.sum_of_minima = clustering.sum_of_minima;
  arrays.members = lists.ids();
  arrays.members_at = lists.offsets();
  arrays.labels = labels.terms;
  arrays.labels_at = labels.terms_at;
  arrays.hosts = hosts;
  KITH_TRY(run::write_clusters(*inputs.fs, path, arrays));

  ClusterCounts counts;
  counts.clusters = lists.groups();
  counts.singles = lists.singles();
  counts.clustered = clustering.size() - lists.singles();
  counts.largest = lists.largest();
  return counts;
}

}  // namespace kith::jobs
