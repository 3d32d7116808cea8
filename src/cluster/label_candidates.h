// How many members of a cluster have each term, and which terms are considered for the labels of a
// stretch of clusters, with how often they stand on the pages that these are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "cluster/labels.h"
#include "cluster/order.h"

namespace kith::cluster {

// A term of some members of a cluster.
struct TermCount {
  uint32_t term;
  uint32_t members;  // that have it
  uint32_t own;      // of these, on the hosts that the cluster is compared with
  uint64_t weight;   // summed over the members
};

// Counts with a table by term. Not thread-safe; one for each worker.
class alignas(worker_alignment) TermCounter {
 public:
  explicit TermCounter(size_t terms) : table_(terms, 0) {}

  // Of the rows [begin, end); `own`: ids that are on the hosts compared with. Each term once, in
  // any order; a view until the next call. REQUIRES: every term < terms.
  std::span<const TermCount> count(const OrderedRows& rows, size_t begin, size_t end,
                                   std::span<const IdRange> own);
  // The same by term.
  std::span<const TermCount> count_by_term(const OrderedRows& rows, size_t begin, size_t end,
                                           std::span<const IdRange> own);

  // By term, for whoever needs one for a while: all zeros, and to be left so.
  std::span<uint32_t> table() { return table_; }

 private:
  std::vector<uint32_t> table_;  // while rows are counted: 1 + the place in counts_, or 0
  std::vector<TermCount> counts_;
};

// What is done with the counts of clusters. All functions are called by several threads at once,
// for different clusters.
class CountVisitor {
 public:
  virtual ~CountVisitor() = default;
  // Whether the cluster is to be counted at all.
  virtual bool wants(size_t cluster) const = 0;
  // Appends the ids that are on the hosts that the cluster is compared with.
  virtual void own_ids(size_t cluster, std::vector<IdRange>& ranges) const = 0;
  // The counts of all members, each term once, in any order. May use the table of the counter.
  virtual void take(size_t cluster, std::span<const TermCount> counts, unsigned worker) = 0;
};

// Counts the members of the clusters [first, last), of two or more each, and lets `visitor` take
// them: in parallel, one thread for each counter. rows: of the members of all clusters of two or
// more, in the order of the lists. Errors: those of reading the rows.
// Time O(E) in the entries E of the members, give or take log E for clusters that the rows have in
// memory in parts; memory: 24 bytes per term of the largest cluster, for each counter.
Status count_clusters(OrderedRows& rows, const ClusterLists& clusters, size_t first, size_t last,
                      std::span<TermCounter> counters, CountVisitor& visitor, ThreadPool& pool);

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
