// The K nearest of all ids, in blocks of ids for joins whose lists may be too many for the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "similar/top_lists.h"
#include "storage/file_system.h"

namespace kith::similar {

// Where lists of blocks lie that are not worked on.
struct ListSpill {
  storage::FileSystem* fs = nullptr;  // needed for more than one block of lists that are not empty
  std::string folder = {};            // of the files, which are gone in the end
  std::string_view name = "nearest";  // that their names begin with; a literal
};

// While lists are made, a block is opened to be worked on, and closed: if there are several, those
// that are closed are in files. When all are made they are in memory, or in files without names.
class NearestLists {
 public:
  NearestLists() = default;
  // Lists of the ids from 0 on that are made and in order.
  explicit NearestLists(TopLists lists);
  // Lists to make, of `top` each, of the ids [0, n) in blocks of block_ids, > 0.
  NearestLists(size_t n, size_t block_ids, uint32_t top, ListSpill spill);

  size_t blocks() const { return blocks_.size(); }
  // The first id of a block; n for the one behind the last.
  uint32_t first_of(size_t block) const;
  Status open(size_t block);
  Status close(size_t block);
  // REQUIRES: the block is open, or it is the only one.
  TopLists& block(size_t number) { return blocks_[number]; }
  // To be called when all blocks are in order and closed; what follows is for then.
  Status finish();
  // Other lists for the ids of a block, in order, after finish(): they lie where the others do.
  Status replace(size_t block, TopLists lists);

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
  bool spills() const { return blocks_.size() > 1 && top_ > 0; }
  std::string path_of(size_t block) const;
  Status map(size_t block);  // of a closed block, whose file loses its name

  size_t n_ = 0;
  size_t block_ids_ = 1;
  uint32_t top_ = 0;
  ListSpill spill_;
  std::vector<TopLists> blocks_;
};

}  // namespace kith::similar
