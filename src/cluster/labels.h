// What clusters are about: the terms that set their pages apart from the others of their hosts.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "cluster/order.h"
#include "sketch/bag.h"

namespace kith::cluster {

// The hosts of a collection, and those that a cluster lies on. Ids are in the order of hosts, so
// that the URLs of a host are one range of them.

// URL ids [begin, end).
struct IdRange {
  uint32_t begin;
  uint32_t end;
};

// Immutable, thread-safe. 4 bytes per host beside the array that it is a view of.
class Hosts {
 public:
  // begins: the first id of every host, ascending, from 0 on; outlives this object. No id where
  // there are no bags.
  Hosts(std::span<const uint32_t> begins, const sketch::BagCollection& bags);

  size_t size() const { return begins_.size(); }
  // REQUIRES: id < the number of bags.
  uint32_t host_of(uint32_t id) const;
  IdRange ids(uint32_t host) const {
    return {begins_[host], host + 1 < begins_.size() ? begins_[host + 1] : ids_};
  }
  // The bags of the host that have words.
  uint32_t filled(uint32_t host) const { return filled_[host]; }

 private:
  std::span<const uint32_t> begins_;
  uint32_t ids_;
  std::vector<uint32_t> filled_;
};

// The hosts of a cluster with whose other pages it is compared.
struct OwnHosts {
  static constexpr uint32_t min_filled = 10;  // bags with words of such a host
  static constexpr uint32_t most = 10;        // each has a tenth of the members or more

  std::array<uint32_t, most> hosts = {};  // ascending
  uint32_t count = 0;
  uint64_t members = 0;  // of the cluster, on these hosts
  uint64_t filled = 0;   // bags with words, on these hosts

  std::span<const uint32_t> list() const { return std::span(hosts).first(count); }
};

// The hosts that have min_filled bags with words and a tenth of the members. None where the members
// are more than nine tenths of the bags of these hosts: what is left is too little to compare with.
// `scratch` is overwritten.
OwnHosts own_hosts(const Hosts& hosts, std::span<const uint32_t> members,
                   std::vector<uint32_t>& scratch);

// How surprising it is that a term stands in some bags and not in others
// (docs/algorithms/labels.md).

// G^2 = -2 ln(lambda) of Dunning, Accurate Methods for the Statistics of Surprise and
// Coincidence (1993), section 6: how surprising it is that `inside` of `members` and `outside`
// of `others` have a term, if both had it with the same probability. >= 0.
// REQUIRES: inside <= members, outside <= others.
double log_likelihood_ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others);

// The same values, with n ln n looked up where n is small, as most counts are. Immutable,
// thread-safe; 128 KiB.
class LogLikelihood {
 public:
  LogLikelihood();
  double ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others) const;

 private:
  std::vector<double> n_log_n_;
};

// What a cluster is about: the terms that set its members apart from the other pages of their
// hosts, first of all those that set it apart from the nearest cluster (docs/algorithms/labels.md).
struct LabelOptions {
  double min_share = 0.3;       // of the members that have a term, and two of them, in [0, 1]
  unsigned threads = UINT_MAX;  // > 0; the labels are the same for any
  uint64_t memory = 64u << 20;  // bytes of terms considered at a time; the labels are the same
};

// What clusters are compared with.
struct LabelContext {
  sketch::BagCollection bags;           // of all URLs
  const Hosts* hosts = nullptr;         // of these
  std::span<const uint32_t> frequency;  // by term, as count_document_frequencies() counts
  uint64_t documents = 0;               // bags with words
  std::span<const uint32_t> nearest;    // by cluster of two or more (NearestClusters); or empty
};

// The labels of the clusters of two or more, by their index in the ClusterLists that they were
// made for; singles have none. 33 bytes per cluster of two or more.
class ClusterLabels {
 public:
  static constexpr size_t most = 5;        // terms of a label
  static constexpr size_t considered = 8;  // for it

  ClusterLabels(size_t clusters, size_t groups)
      : clusters_(clusters), counts_(groups, 0), terms_(groups * considered) {}
  size_t size() const { return clusters_; }
  // Term ids, best first.
  std::span<const uint32_t> operator[](size_t cluster) const {
    const auto terms = candidates(cluster);
    return terms.first(std::min(most, terms.size()));
  }

  // The best terms of a cluster, best first; none for singles.
  std::span<const uint32_t> candidates(size_t cluster) const {
    if (cluster >= counts_.size()) return {};
    return std::span(terms_).subspan(cluster * considered, counts_[cluster]);
  }
  // REQUIRES: a cluster of two or more; at most `considered` terms.
  void set(size_t cluster, std::span<const uint32_t> terms);
  // Brings the candidates to the front for which prefer(term) holds, each part in its order.
  template <class Prefer>
  void bring_forward(size_t cluster, const Prefer& prefer) {
    const auto terms = std::span(terms_).subspan(cluster * considered, counts_[cluster]);
    std::stable_partition(terms.begin(), terms.end(), prefer);
  }

 private:
  size_t clusters_;
  std::vector<uint8_t> counts_;
  std::vector<uint32_t> terms_;
};

// frequency[term] = the number of bags with the term, for terms in [0, terms).
// REQUIRES: every term id < terms. The same for any number of threads.
std::vector<uint32_t> count_document_frequencies(const sketch::BagCollection& bags, size_t terms,
                                                 ThreadPool& pool);

// Labels for every cluster of two or more; singles get none, since any word of theirs that no
// other page has would do. A term is typical of a cluster if min_share of the members have it, and
// two of them. Candidates are the typical terms that are not rarer among the members than among the
// other bags with words of the own hosts (own_hosts()), or, where there are none, of the
// collection; the best eight of them by log_likelihood_ratio() against these bags, then by their
// weight summed over the members, then by term id. Of these come first those that are not typical
// of the nearest cluster; the first five are the label. A cluster whose members share too little
// may get fewer terms, or none.
// rows: of the members of all clusters of two or more, in the order of the lists; signatures are
// not needed.
// Deterministic; parallel over clusters and hosts. Errors: those of reading the rows. The bags are
// read once more for each stretch of clusters whose candidates fill options.memory, the rows twice.
// Memory besides the result: 4 bytes per term, and 24 per term of the largest cluster, for each
// thread: at most options.threads take part; 8 bytes per cluster; options.memory.
Result<ClusterLabels> label_clusters(OrderedRows& rows, const ClusterLists& clusters,
                                     const LabelContext& context, const LabelOptions& options,
                                     ThreadPool& pool);

}  // namespace kith::cluster
