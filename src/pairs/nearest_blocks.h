// The K nearest of all ids, block by block of ids, for joins that are done in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "pairs/top_lists.h"
#include "storage/file_system.h"

namespace kith::pairs {

// The lists of all ids, in memory or in temporary files.
class NearestLists {
 public:
  NearestLists() = default;
  NearestLists(std::vector<TopLists> blocks, size_t block_ids)
      : blocks_(std::move(blocks)), block_ids_(block_ids) {}
  std::span<const Neighbour> operator[](uint32_t id) const { return blocks_[id / block_ids_][id]; }
  // The list of an id that may lie far from those that are read: without the resident set growing.
  std::span<const Neighbour> read(uint32_t id, std::vector<Neighbour>& buffer) const {
    return blocks_[id / block_ids_].read(id, buffer);
  }
  // See Mapping::release().
  void release() const {
    for (const TopLists& block : blocks_) block.release();
  }

 private:
  std::vector<TopLists> blocks_;
  size_t block_ids_ = 1;
};

namespace internal {

// Where lists of blocks lie that are not worked on.
struct ListSpill {
  storage::FileSystem* fs = nullptr;  // needed for more than one block of lists that are not empty
  std::string folder;                 // of the files, which are gone in the end
};

// The lists while they are made. Blocks are opened to be worked on, and closed: if there are
// several, those that are closed are in files.
class NearestBlocks {
 public:
  // The ids [0, n) in blocks of block_ids, > 0; lists of `top` each.
  NearestBlocks(size_t n, size_t block_ids, uint32_t top, ListSpill spill);

  size_t count() const { return lists_.size(); }
  // The first id of a block; n for the one behind the last.
  uint32_t first_of(size_t block) const;

  Status open(size_t block);
  Status close(size_t block);
  // REQUIRES: the block is open.
  TopLists& operator[](size_t block) { return lists_[block]; }

  // All blocks, sorted and closed. The files are mapped, and have no names any more.
  Result<NearestLists> finish() &&;

 private:
  bool spills() const { return lists_.size() > 1 && top_ > 0; }
  std::string path_of(size_t block) const;

  size_t n_;
  size_t block_ids_;
  uint32_t top_;
  ListSpill spill_;
  std::vector<TopLists> lists_;  // by block
};

}  // namespace internal
}  // namespace kith::pairs
