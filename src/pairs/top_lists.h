// The K nearest neighbours of every id, in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pairs/duplicates.h"
#include "pairs/neighbour.h"

namespace kith::pairs {

// n lists of at most k neighbours. While it is being filled, a list is a heap with the farthest
// neighbour on top; sort() puts it in order. Rows that are never written cost no memory but
// address space. Different ids may be written from different threads at once.
class TopLists {
 public:
  TopLists() = default;
  TopLists(size_t n, uint32_t k);

  size_t size() const { return counts_.size(); }
  uint32_t k() const { return k_; }

  // Takes the neighbour if it is among the k nearest so far. A list depends on the set of offers
  // and not on their order. REQUIRES: no neighbour is offered to an id twice.
  void offer(uint32_t id, Neighbour neighbour);
  // The sum of the farthest of the k nearest so far; 0 while there are fewer than k.
  uint32_t bar(uint32_t id) const {
    return counts_[id] < k_ || k_ == 0 ? 0 : rows_[size_t{id} * k_].sum_of_minima;
  }
  // Replaces a list by one that is in order already, of at most k neighbours.
  void assign(uint32_t id, std::span<const Neighbour> nearest);
  // Puts a list in order, nearest first. To be called once, after the last offer to it.
  void sort(uint32_t id);

  std::span<const Neighbour> operator[](uint32_t id) const {
    return {rows_.get() + size_t{id} * k_, counts_[id]};
  }

 private:
  uint32_t k_ = 0;
  std::vector<uint32_t> counts_;
  std::unique_ptr<Neighbour[]> rows_;
};

// The k = lists.k() nearest of any id, from the lists of the representatives: the other members
// of its group come first (their sum is bag_total), then the representative's neighbours, each
// with all members of its group. `nearest` is overwritten, nearest first. Thread-safe.
void expand_nearest(const TopLists& lists, const DuplicateGroups& groups, uint32_t id,
                    std::vector<Neighbour>& nearest);

// A neighbour of a representative stands for its group: appends {member, sum} for all members
// that are above `above` (no_id: all members).
void expand_similar(std::span<const Neighbour> similar, const DuplicateGroups& groups,
                    uint32_t above, std::vector<Neighbour>& out);

}  // namespace kith::pairs
