// pairs.kith: all verified pairs of a run by the paper, as one list for every URL
// (docs/formats/index_stage.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kith/status.h"

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

}  // namespace kith::jobs
