// CENTER by one scan of a stream of sorted pairs (the paper, section 3.4): the list of pairs is
// never in memory. The paper's arbitrary order is that of the ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cluster/clustering.h"

namespace kith::jobs {

// Memory: 8 bytes per id. Not thread-safe.
class CenterStream {
 public:
  explicit CenterStream(size_t n) : clustering_(n) {}

  // The next pair, each in both directions, ascending by left and then by right id. A node that
  // appears on the left unmarked becomes a center, and its unmarked neighbours its members.
  void scan(uint32_t left, uint32_t right, uint32_t sum_of_minima) {
    if (clustering_.center[left] == cluster::no_center) clustering_.make_center(left);
    if (!clustering_.is_center(left) || clustering_.center[right] != cluster::no_center) return;
    clustering_.join(right, left, sum_of_minima);
  }

  // After the last pair: those of `ids` that had none become centers; others stay without. The
  // result is CENTER (docs/algorithms/center.md) on the graph of the pairs, in the order of ids.
  cluster::Clustering finish(std::span<const uint32_t> ids) {
    for (const uint32_t id : ids) {
      if (clustering_.center[id] == cluster::no_center) clustering_.make_center(id);
    }
    return std::move(clustering_);
  }

 private:
  cluster::Clustering clustering_;
};

}  // namespace kith::jobs
