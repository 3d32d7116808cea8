// pairs.kith: all verified pairs of a run by the paper, as one list for every URL
// (docs/formats/index_stage.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "kith/status.h"

#include "cluster/clustering.h"
#include "run/neighbours.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Writes both directions of all pairs, sorted by (left, right) and with the sum of minima as their
// id, as the lists of n URLs.
Status write_pair_lists(storage::FileSystem& fs, const std::string& path, size_t n,
                        storage::SortedRecords& directions);

// An error of kind corrupt when the file is damaged or not of n URLs.
Result<run::Neighbours> open_pair_lists(storage::FileSystem& fs, const std::string& path, size_t n);

// Reads lists, and gives them back when some megabytes of them are in memory. Thread-safe.
class ResidentLists {
 public:
  // The lists outlive the object.
  explicit ResidentLists(const run::Neighbours& lists) : lists_(lists) {}
  // The list of the group of an id, which stands with that of its representative: mostly the list
  // behind the one before, or else far away, and then others around it are mapped with it. A view
  // for as long as the lists.
  std::span<const similar::Neighbour> of(uint32_t id, uint32_t representative) {
    const auto list = lists_[representative];
    touch(list.size_bytes() + (id == representative ? 0 : around));
    return list;
  }

 private:
  static constexpr uint64_t around = 128 << 10;
  void touch(uint64_t bytes);

  const run::Neighbours& lists_;
  std::atomic<uint64_t> read_ = 0;
};

// CENTER by one scan of a stream of sorted pairs (the paper, section 3.4): the list of pairs is
// never in memory. The paper's arbitrary order is that of the ids.

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
