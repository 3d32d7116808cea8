// What the cluster stage gives: a center for every id (the paper, section 3.4;
// docs/algorithms/center.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "kith/options.h"

#include "base/parallel/thread_pool.h"
#include "similar/neighbour.h"

namespace kith::cluster {

// Stands where an id has no center yet: the id was not in the scan order.
inline constexpr uint32_t no_center = std::numeric_limits<uint32_t>::max();

// Two arrays of n, indexed by id.
struct Clustering {
  Clustering() = default;
  // n ids without a center.
  explicit Clustering(size_t n) : center(n, no_center), sum_of_minima(n, 0) {}

  std::vector<uint32_t> center;         // the own id for a center; a single is a center alone
  std::vector<uint32_t> sum_of_minima;  // A with the center, exact; bag_total for a center

  size_t size() const { return center.size(); }
  bool is_center(uint32_t id) const { return center[id] == id; }
  void make_center(uint32_t id);
  void join(uint32_t id, uint32_t to_center, uint32_t sum);

  friend bool operator==(const Clustering&, const Clustering&) = default;
};

// The same clustering as lists: clusters by size (largest first), then by center id. In a
// cluster the center comes first, then the members by sum of minima (largest first), then id.
// Ids without a center are left out.
class ClusterLists {
 public:
  ClusterLists(const Clustering& clustering, ThreadPool& pool);

  // The number of clusters, singles included; the singles are the last ones.
  size_t size() const { return offsets_.size() - 1; }
  std::span<const uint32_t> operator[](size_t cluster) const {
    return std::span(ids_).subspan(offsets_[cluster], offsets_[cluster + 1] - offsets_[cluster]);
  }
  // All lists in one array, and where each begins: size() + 1 offsets.
  std::span<const uint32_t> ids() const { return ids_; }
  std::span<const uint64_t> offsets() const { return offsets_; }
  uint32_t center(size_t cluster) const { return ids_[offsets_[cluster]]; }
  size_t size_of(size_t cluster) const { return offsets_[cluster + 1] - offsets_[cluster]; }
  size_t largest() const { return size() == 0 ? 0 : size_of(0); }
  // Clusters of one; clusters of two or more.
  size_t singles() const { return singles_; }
  size_t groups() const { return size() - singles_; }

 private:
  void sort_members(size_t cluster, const Clustering& clustering);

  std::vector<uint64_t> offsets_;  // size() + 1
  std::vector<uint32_t> ids_;
  size_t singles_ = 0;
};

// Connected components by union-find: what joins everything that is joined by a chain.

// Memory: 4 bytes per id. Not thread-safe.
class Components {
 public:
  explicit Components(size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), uint32_t{0});
  }

  size_t size() const { return parent_.size(); }

  // The lowest id of the component, whatever the order of joins was. Halves paths: near constant
  // time, amortised.
  uint32_t find(uint32_t id) {
    while (parent_[id] != id) {
      parent_[id] = parent_[parent_[id]];
      id = parent_[id];
    }
    return id;
  }

  void join(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    if (b < a) std::swap(a, b);
    parent_[b] = a;
  }

 private:
  std::vector<uint32_t> parent_;
};

// Groups of equal bags: CENTER scans each of them as one, and its result is expanded to all members
// (docs/algorithms/center.md, "Duplicates"). Pure.
//
// representative[id] is one fixed member of the group of id, e.g.
// similar::DuplicateGroups::representative (its own id for ids without a twin).

// The scan order of the groups. A group is named by its representative and scanned at the rank of
// its earliest member.
std::vector<uint32_t> collapse_order(std::span<const uint32_t> order,
                                     std::span<const uint32_t> representative);

// The ids of a clustering of groups of equal bags, expanded to all members of the groups.
// `groups` clusters representatives: it was made with collapse_order(order, representative). Groups
// that `order` leaves out are clusters of their own, around their representative. A center stands
// for its group through the member that `order` has first; the others of the group join it with
// bag_total. The result is CENTER on the graph of all ids, if equal bags are adjacent and each of
// them has the neighbours of the others.
Clustering expand_groups(const Clustering& groups, std::span<const uint32_t> order,
                         std::span<const uint32_t> representative, ThreadPool& pool);

// Which cluster lies nearest to each cluster, by the lists of neighbours of its members
// (docs/algorithms/labels.md).

// Finds the most similar pair of a member of a cluster and a member of another one, both of two
// or more, that stands in the lists: the cluster of the other is the nearest one; of several, the
// one of smaller number. 4 bytes per id and 8 per cluster.
class NearestClusters {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  // ids: their number.
  NearestClusters(const ClusterLists& lists, size_t ids);

  // The neighbours of an id. Thread-safe; in any order.
  void add(uint32_t id, std::span<const similar::Neighbour> neighbours);

  // By cluster of two or more: the nearest one, or none where no list of a member names another.
  std::vector<uint32_t> finish() const;

 private:
  std::vector<uint32_t> cluster_of_;  // by id; none for singles
  std::vector<uint64_t> best_;        // by cluster: sum of minima and ~number; 0 for none
};

}  // namespace kith::cluster
