// The K nearest neighbours of every id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "base/memory.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "storage/file_system.h"

namespace kith::similar {

// The lists of n ids from `first` on, each of at most k neighbours. While it is being filled, a
// list is a heap with the farthest neighbour on top; sort() puts it in order. Rows that are never
// written cost no memory but address space. Different ids may be written from different threads
// at once.
class TopLists {
 public:
  TopLists() = default;
  TopLists(size_t n, uint32_t k, uint32_t first = 0);

  // Bytes of the list of one id.
  static constexpr size_t bytes_of_one(uint32_t k) {
    return k * sizeof(Neighbour) + sizeof(uint32_t);
  }

  size_t size() const { return counts_.size(); }
  uint32_t k() const { return k_; }
  bool has(uint32_t id) const { return id - first_ < counts_.size(); }

  // Takes the neighbour if it is among the k nearest so far. A list depends on the set of offers
  // and not on their order. REQUIRES: has(id); no neighbour is offered to an id twice.
  void offer(uint32_t id, Neighbour neighbour);
  // The least sum that a neighbour must have to be taken, while the list is being filled.
  uint32_t min_sum(uint32_t id) const {
    const size_t row = id - first_;
    return k_ > 0 && counts_[row] == k_ ? rows_[row * k_].sum_of_minima : 0;
  }
  // Replaces a list by one that is in order already, of at most k neighbours.
  void assign(uint32_t id, std::span<const Neighbour> nearest);
  // Puts a list in order, nearest first. To be called once, after the last offer to it.
  void sort(uint32_t id);

  std::span<const Neighbour> operator[](uint32_t id) const {
    const Neighbour* const rows =
        file_ == nullptr ? rows_.data() : reinterpret_cast<const Neighbour*>(file_->bytes().data());
    return {rows + size_t{id - first_} * k_, counts_[id - first_]};
  }

  // The same of a list that may lie far from those that are read: a copy in `buffer` where the
  // lists are mapped, so that the resident set does not grow (Mapping::copy()).
  std::span<const Neighbour> read(uint32_t id, std::vector<Neighbour>& buffer) const {
    const std::span<const Neighbour> list = (*this)[id];
    if (file_ == nullptr || list.empty()) return list;
    buffer.resize(list.size());
    file_->copy(std::as_bytes(list), std::as_writable_bytes(std::span(buffer)).data());
    return buffer;
  }

  // Moves the neighbours to a file and frees their memory: 4 bytes per id stay. Until load() or
  // map() nothing else may be called. The file can be removed after map().
  Status spill(storage::FileSystem& fs, const std::string& path);
  // Brings them back.
  Status load(storage::FileSystem& fs, const std::string& path);
  // Makes them readable where they are. They may not be changed any more.
  Status map(storage::FileSystem& fs, const std::string& path);
  // The lists will not be read for a while: see Mapping::release().
  void release() const {
    if (file_ != nullptr) file_->release(file_->bytes());
  }

 private:
  uint32_t k_ = 0;
  uint32_t first_ = 0;
  std::vector<uint32_t> counts_;
  LargeArray<Neighbour> rows_;
  std::unique_ptr<storage::MappedFile> file_;  // in place of rows_
};

// The k nearest of any id, from the list of its representative: the other members of its group
// come first (their sum is bag_total), with equal bags of other groups, then the representative's
// neighbours, each with all members of its group. `nearest` is overwritten, nearest first.
// Thread-safe.
void expand_nearest(std::span<const Neighbour> list, uint32_t k, const DuplicateGroups& groups,
                    uint32_t id, std::vector<Neighbour>& nearest);

// The pairs of any id with higher ids, from what is similar to its bag, each for all members of its
// group: with the members of its own group, too. `pairs` is overwritten, ascending by id.
// Thread-safe.
void expand_pairs(std::span<const Neighbour> similar, const DuplicateGroups& groups, uint32_t id,
                  std::vector<Neighbour>& pairs);

// The K nearest of all ids, in blocks of ids for joins whose lists may be too many for the memory.

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
