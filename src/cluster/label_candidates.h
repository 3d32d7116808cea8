// The terms that are considered for the labels of a stretch of clusters, and how often they stand
// on the pages that these are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/clustering.h"
#include "cluster/hosts.h"
#include "cluster/labels.h"
#include "cluster/log_likelihood.h"
#include "cluster/term_counts.h"
#include "parallel/thread_pool.h"

namespace kith::cluster {

// How many of the members of a cluster must have a term that is typical of it.
uint64_t min_members(size_t cluster_size, double min_share);

// The clusters [first, last). Used in this order: count_clusters() with it as the visitor, then
// count_hosts(), then choose().
class LabelCandidates : public CountVisitor {
 public:
  // The clusters from `first` on whose candidates, at the most, fit options.memory; at least one.
  static size_t last_of(size_t first, const ClusterLists& clusters, const LabelContext& context,
                        const LabelOptions& options);

  // What it refers to must outlive it.
  LabelCandidates(const ClusterLists& clusters, size_t first, size_t last,
                  const LabelContext& context, const LabelOptions& options, unsigned workers,
                  ThreadPool& pool);

  bool wants(size_t) const override { return true; }
  void own_ids(size_t cluster, std::vector<IdRange>& ranges) const override;
  void take(size_t cluster, std::span<const TermCount> counts, unsigned worker) override;

  // Counts the terms on the hosts that clusters are compared with. The tables of the counters are
  // used, one for each thread.
  void count_hosts(std::span<TermCounter> counters);

  // Scores the candidates and puts the best ones into `labels`.
  void choose(const LogLikelihood& likelihood, ClusterLabels& labels);

 private:
  struct Candidate {
    uint32_t term;
    uint32_t members;  // that have it
    uint32_t outside;  // other bags compared with that have it; less than what is still to be added
    uint64_t weight;   // summed over the members
    double score;
  };
  // Where the candidates of a cluster lie.
  struct Place {
    unsigned worker = 0;
    uint32_t count = 0;
    uint64_t begin = 0;
  };
  struct HostOfCluster {
    uint32_t host;
    uint32_t cluster;  // from 0 for the first of the stretch
  };

  static bool better(const Candidate& a, const Candidate& b);
  std::span<Candidate> candidates_of(size_t index);
  std::vector<HostOfCluster> by_host() const;
  void add_host(std::span<const HostOfCluster> host, std::span<uint32_t> table, BagBuffer& buffer);
  void choose_one(size_t index, const LogLikelihood& likelihood, ClusterLabels& labels);

  const ClusterLists& clusters_;
  const size_t first_;
  const LabelContext& context_;
  const double min_share_;
  ThreadPool& pool_;
  std::vector<OwnHosts> own_;                       // by cluster
  std::vector<Place> places_;                       // by cluster
  std::vector<std::vector<Candidate>> candidates_;  // by worker
};

}  // namespace kith::cluster
