// What a cluster is about: the terms that set its members apart from all other bags
// (docs/algorithms/labels.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/clustering.h"
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
  size_t most = 5;           // labels per cluster
  double least_share = 0.3;  // of the members that have the term, in [0, 1]
};

// The labels of all clusters, by their index in the ClusterLists that they were made for.
class ClusterLabels {
 public:
  explicit ClusterLabels(size_t clusters) : labels_(clusters) {}
  size_t size() const { return labels_.size(); }
  std::span<const Label> operator[](size_t cluster) const { return labels_[cluster]; }
  void set(size_t cluster, std::vector<Label> labels) { labels_[cluster] = std::move(labels); }

 private:
  std::vector<std::vector<Label>> labels_;
};

// frequency[term] = the number of bags with the term, for terms in [0, terms).
// REQUIRES: every term id < terms. The same for any number of threads.
std::vector<uint32_t> count_document_frequencies(const BagCollection& bags, size_t terms,
                                                 ThreadPool& pool);

// Labels for every cluster of two or more; singles get none, since any word of theirs that no
// other page has would do. Candidates are the terms of at least least_share of the members that
// are not rarer among the members than among the other non-empty bags. Best first: by score,
// then by their weight summed over the members, then by term id. A cluster whose members share
// too little may get fewer labels, or none.
// frequency: as counted by count_document_frequencies(). Deterministic; parallel over clusters.
// Time O(E log E) in the entries E of the members; memory 8 bytes an entry of the largest
// cluster, for each thread.
ClusterLabels label_clusters(const BagCollection& bags, const ClusterLists& clusters,
                             std::span<const uint32_t> frequency, const LabelOptions& options,
                             ThreadPool& pool);

}  // namespace kith::cluster
