#include "pipeline/cluster_stage.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "cluster/center.h"
#include "cluster/clustering.h"
#include "cluster/labels.h"
#include "cluster/leader_index.h"
#include "cluster/order.h"
#include "index/clusters.h"
#include "pairs/duplicates.h"

namespace kith::pipeline {
namespace {

std::vector<uint64_t> widen(std::span<const uint32_t> values) {
  return {values.begin(), values.end()};
}

// LSH mass of every URL; a duplicate has that of its representative.
std::vector<uint64_t> masses(const ClusterInputs& inputs, ThreadPool& pool) {
  const pairs::DuplicateGroups& groups = inputs.plan->groups;
  std::vector<uint64_t> mass =
      cluster::lsh_mass(lsh::Tables(inputs.plan->tables), inputs.signatures->signatures(),
                        pairs::distinct_bags(*inputs.bags, groups), groups.multiplicity, pool);
  for (size_t id = 0; id < mass.size(); ++id) mass[id] = mass[groups.representative[id]];
  return mass;
}

std::vector<uint32_t> scan_order(Order order, const ClusterInputs& inputs, uint64_t seed,
                                 ThreadPool& pool) {
  const size_t n = inputs.bags->size();
  switch (order) {
    case Order::degree:
      return cluster::order_by_key(widen(inputs.degrees));
    case Order::inlinks:
      return cluster::order_by_key(widen(inputs.inlinks));
    case Order::mass:
      return cluster::order_by_key(masses(inputs, pool));
    case Order::random:
      return cluster::random_order(n, mix64(seed));
    case Order::url:
    case Order::automatic:
      break;
  }
  return cluster::order_by_id(n);
}

cluster::LeaderResult find_leaders(const ClusterInputs& inputs, std::span<const uint32_t> order,
                                   const ClusterOptions& options, ThreadPool& pool,
                                   const ProgressCallback& progress) {
  cluster::LeaderOptions leader;
  leader.least_sum = inputs.plan->least_sum;
  leader.assign = options.assign;
  const auto show = [&](double share) {
    if (progress) progress({"cluster", share, 1.0, ""});
  };
  if (inputs.plan->engine == EngineChoice::exact) {
    return cluster::exact_leaders(*inputs.bags, order, leader, pool, show);
  }
  const cluster::SketchedBags sketched{*inputs.bags, inputs.signatures->signatures(),
                                       inputs.signatures->plane()};
  return cluster::lsh_leaders(sketched, lsh::Tables(inputs.plan->tables), order, leader, pool,
                              show);
}

// The terms of all labels, cluster by cluster.
struct LabelArrays {
  std::vector<uint32_t> terms;
  std::vector<uint64_t> terms_at{0};
};

LabelArrays label_arrays(const ClusterInputs& inputs, const cluster::ClusterLists& lists,
                         ThreadPool& pool) {
  const std::vector<uint32_t> frequency =
      cluster::count_document_frequencies(*inputs.bags, inputs.terms, pool);
  const cluster::ClusterLabels labels =
      cluster::label_clusters(*inputs.bags, lists, frequency, {}, pool);
  LabelArrays arrays;
  for (size_t i = 0; i < labels.size(); ++i) {
    for (const cluster::Label& label : labels[i]) arrays.terms.push_back(label.term);
    arrays.terms_at.push_back(arrays.terms.size());
  }
  return arrays;
}

}  // namespace

Result<ClusterCounts> write_clusters(storage::FileSystem& fs, const std::string& path,
                                     const ClusterInputs& inputs, const ClusterOptions& options,
                                     ThreadPool& pool, const ProgressCallback& progress) {
  const Order order =
      cluster::resolve_order(options.order, inputs.plan->engine == EngineChoice::exact);
  const std::vector<uint32_t> ids = scan_order(order, inputs, options.seed, pool);
  const auto& representative = inputs.plan->groups.representative;
  const cluster::LeaderResult leaders =
      find_leaders(inputs, cluster::collapse_order(ids, representative), options, pool, progress);
  const cluster::Clustering clustering =
      cluster::expand_groups(leaders.clustering, ids, representative);
  const cluster::ClusterLists lists(clustering);
  const LabelArrays labels = label_arrays(inputs, lists, pool);

  index::ClusterArrays arrays;
  arrays.center = clustering.center;
  arrays.sum_of_minima = clustering.sum_of_minima;
  arrays.members = lists.ids();
  arrays.members_at = lists.offsets();
  arrays.labels = labels.terms;
  arrays.labels_at = labels.terms_at;
  KITH_TRY(index::write_clusters(fs, path, arrays));

  ClusterCounts counts;
  counts.clusters = lists.groups();
  counts.singles = lists.singles();
  counts.clustered = clustering.size() - lists.singles();
  counts.largest = lists.largest();
  counts.order = order;
  return counts;
}

}  // namespace kith::pipeline
