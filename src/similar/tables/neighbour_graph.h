// The lists of neighbours as they were before a refinement: by ids alone. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/large_array.h"
#include "base/parallel/thread_pool.h"
#include "similar/nearest_lists.h"
#include "storage/file_system.h"

namespace kith::similar {

// The links of an id: its nearest neighbours, nearest first, then the ids that list it among their
// nearest and are not among its own; of these those with the largest sums, and of equal sums the
// smaller ids. At most max_links of each kind. Immutable once frozen; thread-safe.
class NeighbourGraph {
 public:
  static constexpr uint32_t max_links = 12;

  // The links of lists of `top` neighbours that are finished. They lie in memory, or, if `spill`
  // has a file system, in a file of its folder without a name. Depends on the lists only.
  static Result<NeighbourGraph> freeze(const NearestLists& lists, uint32_t top,
                                       const ListSpill& spill, ThreadPool& pool);

  // Bytes of one id; while links are frozen, bytes_while_frozen() for every id of a block.
  static constexpr size_t bytes_of_one(uint32_t top) { return width(top) * sizeof(uint32_t); }
  static constexpr size_t bytes_while_frozen(uint32_t top) {
    return bytes_of_one(top) + TopLists::bytes_of_one(width(top) / 2);
  }

  // Has no effect but that links() may be faster.
  void prefetch(uint32_t id) const;
  // Valid until the next call with the same buffer.
  std::span<const uint32_t> links(uint32_t id, std::vector<uint32_t>& buffer) const;

 private:
  static constexpr uint32_t width(uint32_t top) { return 2 * (top < max_links ? top : max_links); }

  explicit NeighbourGraph(uint32_t top) : width_(width(top)) {}
  // Fills the rows of the ids of a block.
  void fill(const NearestLists& lists, size_t block, std::span<uint32_t> rows,
            ThreadPool& pool) const;
  TopLists reverse_lists(const NearestLists& lists, size_t block, ThreadPool& pool) const;

  uint32_t width_;
  LargeArray<uint32_t> rows_;                  // width_ an id, no_id behind the last link
  std::unique_ptr<storage::MappedFile> file_;  // in place of rows_
};

}  // namespace kith::similar
