// Exact sums of minima of one bag with many: internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sketch/bag.h"

namespace kith::cluster {

// Hashes the entries of one bag into a table without collisions, so that every entry of another
// bag costs one look-up and no branch; a merge has a chain of dependent steps instead. Gives
// what kith::sum_of_minima() gives, its slow twin. Not thread-safe.
class BagMatcher {
 public:
  // The entries must stay where they are until the next set(). Time linear in the entries.
  void set(sketch::Bag bag);

  // With the bag that was set.
  uint32_t sum_of_minima(sketch::Bag other) const;

  // Whether a table without collisions was found; where it was not, bags are merged.
  bool hashed() const { return hashed_; }

 private:
  static constexpr size_t max_entries = 256;

  bool fill(uint32_t factor);
  void clear(sketch::Bag entries);
  size_t slot_of(uint32_t term) const { return (term * factor_) >> shift_; }

  sketch::Bag bag_;
  bool hashed_ = false;
  uint32_t factor_ = 1;
  uint32_t shift_ = 31;
  std::vector<sketch::BagEntry> slots_;  // weight 0 where empty; never smaller than 2^(32 - shift_)
};

}  // namespace kith::cluster
