// How many members of a cluster have each term.
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

}  // namespace kith::cluster
