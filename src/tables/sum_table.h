// Sums by id, for ids that lie anywhere. Internal to this folder.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pairs/neighbour.h"

namespace kith::pairs::internal {

// A hash table that is filled and emptied again and again. Not thread-safe.
class SumTable {
 public:
  // For no more than so many ids at a time, > 0.
  explicit SumTable(size_t most)
      : places_(std::bit_ceil(2 * most), Neighbour{no_id, 0}),
        shift_(64 - std::countr_zero(places_.size())) {}

  // Adds to the sum of an id. If the table does not have the id, it is taken in if is_new_wanted.
  void add(uint32_t id, uint32_t amount, bool is_new_wanted) {
    Neighbour& place = place_of(id);
    if (place.id == no_id) {
      if (!is_new_wanted) return;
      place.id = id;
      used_.push_back(static_cast<uint32_t>(&place - places_.data()));
    }
    place.sum_of_minima += amount;
  }
  // An id has no sum any more.
  void leave_out(uint32_t id) {
    Neighbour& place = place_of(id);
    if (place.id == id) place.sum_of_minima = 0;
  }
  // Gives all ids and their sums, those of 0 not, in no order; the table is empty then.
  template <class Visit>
  void take(const Visit& visit) {
    for (const uint32_t at : used_) {
      if (places_[at].sum_of_minima > 0) visit(places_[at]);
      places_[at] = {no_id, 0};
    }
    used_.clear();
  }

  // What a table for so many ids takes at most.
  static constexpr uint64_t bytes(uint64_t most) {
    return std::bit_ceil(2 * most) * sizeof(Neighbour) + most * sizeof(uint32_t);
  }

 private:
  Neighbour& place_of(uint32_t id) {
    constexpr uint64_t golden = 0x9e3779b97f4a7c15u;  // 2^64 by the golden ratio
    const size_t last = places_.size() - 1;
    size_t place = (id * golden) >> shift_;
    while (places_[place].id != no_id && places_[place].id != id) place = (place + 1) & last;
    return places_[place];
  }

  std::vector<Neighbour> places_;  // no_id: free
  int shift_;
  std::vector<uint32_t> used_;  // places
};

}  // namespace kith::pairs::internal
