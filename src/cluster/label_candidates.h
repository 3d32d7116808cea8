// The terms that are considered for the labels of a stretch of clusters, and how often they stand
// on the pages that these are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "cluster/labels.h"
#include "cluster/term_counts.h"

namespace kith::cluster {

// How many of the members of a cluster must have a term that is typical of it.
uint64_t min_members(size_t cluster_size, double min_share);

// A stretch of clusters whose candidates fit options.memory. Used in this order: next(),
// count_clusters() of these with it as the visitor, and pack(), until there are no next; then
// count_hosts(), then choose().
class LabelCandidates : public CountVisitor {
 public:
  // Clusters by number, [begin, end).
  struct Clusters {
    size_t begin;
    size_t end;
  };

  // Without a cluster as yet, of those from `first` on. What it refers to must outlive it.
  LabelCandidates(const ClusterLists& clusters, size_t first, const LabelContext& context,
                  const LabelOptions& options, unsigned workers, ThreadPool& pool);

  // As many further clusters as are sure to fit beside those before; at least one in all. How many
  // candidates a cluster has is known when it has been counted, and is a fraction of what is sure.
  Clusters next();
  // To be called when they were counted.
  void pack();
  // The cluster behind the last.
  size_t end() const { return first_ + own_.size(); }

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
  };
  struct Scored {
    Candidate candidate;
    double score;
  };
  // Where the candidates of a cluster lie.
  struct Place {
    uint32_t block = 0;
    uint32_t count = 0;
    uint64_t begin = 0;
  };
  struct HostOfCluster {
    uint32_t host;
    uint32_t cluster;  // from 0 for the first of the stretch
  };

  static bool better(const Scored& a, const Scored& b);
  uint64_t most_bytes(size_t cluster) const;
  uint64_t bytes_beside(size_t hosts) const;
  std::span<Candidate> candidates_of(size_t index);
  std::vector<HostOfCluster> by_host() const;
  void add_host(std::span<const HostOfCluster> host, std::span<uint32_t> table,
                sketch::BagBuffer& buffer);
  void choose_one(size_t index, const LogLikelihood& likelihood, std::vector<Scored>& scored,
                  ClusterLabels& labels);

  const ClusterLists& clusters_;
  const size_t first_;
  const LabelContext& context_;
  const LabelOptions& options_;
  ThreadPool& pool_;
  uint64_t bytes_ = 0;         // taken by what was packed
  size_t packed_ = 0;          // clusters
  std::vector<OwnHosts> own_;  // by cluster
  std::vector<Place> places_;  // by cluster
  // Those of what was packed, and, by worker, of what is being counted.
  std::vector<std::vector<Candidate>> blocks_;
  std::vector<std::vector<Candidate>> counted_;
};

}  // namespace kith::cluster
