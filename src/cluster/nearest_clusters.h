// Which cluster lies nearest to each cluster, by the lists of neighbours of its members
// (docs/algorithms/labels.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/clustering.h"
#include "similar/neighbour.h"

namespace kith::cluster {

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
