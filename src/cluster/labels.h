// What a cluster is about: the terms that set its members apart from all other bags
// (docs/algorithms/labels.md).
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/check.h"
#include "cluster/clustering.h"
#include "cluster/ordered_rows.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"

namespace kith::cluster {

// G^2 = -2 ln(lambda) of Dunning, Accurate Methods for the Statistics of Surprise and
// Coincidence (1993), section 6: how surprising it is that `inside` of `members` and `outside`
// of `others` have a term, if both had it with the same probability. >= 0.
// REQUIRES: inside <= members, outside <= others.
double log_likelihood_ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others);

struct Label {
  uint32_t term;
  float score;       // log_likelihood_ratio; 0 when there are no other bags
  uint32_t members;  // that have the term
  friend bool operator==(const Label&, const Label&) = default;
};

struct LabelOptions {
  size_t most = 5;              // labels per cluster
  double min_share = 0.3;       // of the members that have the term, in [0, 1]
  unsigned threads = UINT_MAX;  // > 0; the labels are the same for any
};

// The labels of the clusters of two or more, by their index in the ClusterLists that they were
// made for; singles have none.
class ClusterLabels {
 public:
  ClusterLabels(size_t clusters, size_t groups, size_t most)
      : clusters_(clusters), most_(most), counts_(groups, 0), labels_(groups * most) {}
  size_t size() const { return clusters_; }
  std::span<const Label> operator[](size_t cluster) const {
    if (cluster >= counts_.size()) return {};
    return std::span(labels_).subspan(cluster * most_, counts_[cluster]);
  }
  // REQUIRES: a cluster of two or more; at most `most` labels.
  void set(size_t cluster, std::span<const Label> labels) {
    KITH_CHECK(labels.size() <= most_);
    std::ranges::copy(labels, labels_.begin() + static_cast<ptrdiff_t>(cluster * most_));
    counts_[cluster] = static_cast<uint32_t>(labels.size());
  }

 private:
  size_t clusters_;
  size_t most_;
  std::vector<uint32_t> counts_;
  std::vector<Label> labels_;
};

// frequency[term] = the number of bags with the term, for terms in [0, terms).
// REQUIRES: every term id < terms. The same for any number of threads.
std::vector<uint32_t> count_document_frequencies(const BagCollection& bags, size_t terms,
                                                 ThreadPool& pool);

// Labels for every cluster of two or more; singles get none, since any word of theirs that no
// other page has would do. Candidates are the terms of at least min_share of the members that
// are not rarer among the members than among the other non-empty bags. Best first: by score,
// then by their weight summed over the members, then by term id. A cluster whose members share
// too little may get fewer labels, or none.
// rows: of the members of all clusters of two or more, in the order of the lists; signatures are
// not needed. frequency: as counted by count_document_frequencies(). documents: the non-empty bags.
// Deterministic; parallel over clusters. Errors: those of reading the rows.
// Time O(E) in the entries E of the members, give or take log E for clusters that the rows have in
// memory in parts; memory besides the result: 4 bytes per term and 16 per term of the largest
// cluster, for each thread: at most options.threads take part.
Result<ClusterLabels> label_clusters(OrderedRows& rows, const ClusterLists& clusters,
                                     std::span<const uint32_t> frequency, uint64_t documents,
                                     const LabelOptions& options, ThreadPool& pool);

}  // namespace kith::cluster
