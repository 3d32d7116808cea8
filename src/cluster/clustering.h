// What the cluster stage gives: a center for every id (the paper, section 3.4;
// docs/algorithms/center.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kith/options.h"

#include "base/parallel/thread_pool.h"

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

}  // namespace kith::cluster
