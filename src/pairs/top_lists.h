// The K nearest neighbours of every id, in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "pairs/duplicates.h"
#include "pairs/neighbour.h"

namespace kith::pairs {

// The lists of n ids from `first` on, each of at most k neighbours. While it is being filled, a
// list is a heap with the farthest neighbour on top; sort() puts it in order. Rows that are never
// written cost no memory but address space. Different ids may be written from different threads
// at once.
class TopLists {
 public:
  TopLists() = default;
  TopLists(size_t n, uint32_t k, uint32_t first = 0);

  size_t size() const { return counts_.size(); }
  uint32_t k() const { return k_; }
  bool has(uint32_t id) const { return id - first_ < counts_.size(); }

  // Takes the neighbour if it is among the k nearest so far. A list depends on the set of offers
  // and not on their order. REQUIRES: has(id); no neighbour is offered to an id twice.
  void offer(uint32_t id, Neighbour neighbour);
  // Replaces a list by one that is in order already, of at most k neighbours.
  void assign(uint32_t id, std::span<const Neighbour> nearest);
  // Puts a list in order, nearest first. To be called once, after the last offer to it.
  void sort(uint32_t id);

  std::span<const Neighbour> operator[](uint32_t id) const {
    return {rows_.data() + size_t{id - first_} * k_, counts_[id - first_]};
  }

 private:
  uint32_t k_ = 0;
  uint32_t first_ = 0;
  std::vector<uint32_t> counts_;
  LargeArray<Neighbour> rows_;
};

// The k nearest of any id, from the list of its representative: the other members of its group
// come first (their sum is bag_total), then the representative's neighbours, each with all
// members of its group. `nearest` is overwritten, nearest first. Thread-safe.
void expand_nearest(std::span<const Neighbour> list, uint32_t k, const DuplicateGroups& groups,
                    uint32_t id, std::vector<Neighbour>& nearest);

// A neighbour of a representative stands for its group: appends {member, sum} for all members
// that are above `above` (no_id: all members).
void expand_similar(std::span<const Neighbour> similar, const DuplicateGroups& groups,
                    uint32_t above, std::vector<Neighbour>& out);

}  // namespace kith::pairs
