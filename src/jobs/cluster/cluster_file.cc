#include "jobs/cluster/cluster_file.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bags/tables.h"
#include "cluster/hosts.h"
#include "cluster/labels.h"
#include "cluster/nearest_clusters.h"
#include "jobs/cluster/placed_rows.h"
#include "run/clusters.h"

namespace kith::jobs {
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
// which two do not fit half the memory was refused when it was made.
unsigned label_threads(const ClusterInputs& inputs, uint64_t table, unsigned threads) {
  const uint64_t max_tables = memory_of(inputs) / 2 / table;
  return static_cast<unsigned>(std::clamp<uint64_t>(max_tables, 2, threads + 1)) - 1;
}

Result<LabelArrays> label_arrays(const ClusterInputs& inputs, const cluster::ClusterLists& lists,
                                 const cluster::Hosts& hosts, ThreadPool& pool) {
  const std::vector<uint32_t> nearest = find_nearest(inputs, lists, pool);
  const uint64_t table = inputs.terms * sizeof(uint32_t) + 1;
  cluster::LabelOptions options;
  options.threads = label_threads(inputs, table, pool.size());
  options.memory = memory_of(inputs) / 8;
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
