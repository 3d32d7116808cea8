// Sums by id, for ids that lie anywhere. Internal to this folder.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "similar/neighbour.h"

namespace kith::similar {

// A hash table that is filled and emptied again and again. Not thread-safe.
class SumTable {
 public:
  // For no more than so many ids at a time, > 0.
  explicit SumTable(size_t most) : places_(std::bit_ceil(2 * most), Neighbour{no_id, 0}) {
    start(most);
  }

  // Makes the table, which is empty, one for no more than so many ids: the smaller, the faster.
  void start(size_t ids) {
    last_ = std::bit_ceil(2 * std::max<size_t>(ids, 1)) - 1;
    shift_ = std::countl_zero(last_);
  }
  // Adds to the sum of an id.
  void add(uint32_t id, uint32_t amount) {
    Neighbour& place = place_of(id);
    if (place.id == no_id) {
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
    size_t place = (id * golden) >> shift_;
    while (places_[place].id != no_id && places_[place].id != id) place = (place + 1) & last_;
    return places_[place];
  }

  std::vector<Neighbour> places_;  // no_id: free
  uint64_t last_ = 1;              // place that is used; 2^i - 1
  int shift_ = 0;
  std::vector<uint32_t> used_;  // places
};

}  // namespace kith::similar
