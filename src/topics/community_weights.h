// The weight of a node's edges by the community at their other end.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "pairs/neighbour.h"

namespace kith::topics {

// A small hash table, which is cleared by what was entered: it stays in the cache whatever the
// number of communities. Not thread-safe.
class CommunityWeights {
 public:
  struct Entry {
    uint32_t community;
    uint64_t weight;
  };

  // Makes room for so many additions, and forgets what was added before.
  void begin(size_t additions) {
    for (const uint32_t slot : used_) slots_[slot].community = pairs::no_id;
    used_.clear();
    const size_t wanted = std::bit_ceil(2 * additions + 2);
    if (wanted > slots_.size()) slots_.assign(wanted, {pairs::no_id, 0});
    mask_ = static_cast<uint32_t>(wanted - 1);
  }

  void add(uint32_t community, uint64_t weight) {
    uint32_t slot = (community * 0x9e3779b1u >> 7) & mask_;
    while (slots_[slot].community != community) {
      if (slots_[slot].community == pairs::no_id) {
        slots_[slot] = {community, 0};
        used_.push_back(slot);
        break;
      }
      slot = (slot + 1) & mask_;
    }
    slots_[slot].weight += weight;
  }

  size_t size() const { return used_.size(); }
  // In the order of their first addition. REQUIRES: i < size().
  const Entry& operator[](size_t i) const { return slots_[used_[i]]; }

 private:
  std::vector<Entry> slots_;
  std::vector<uint32_t> used_;
  uint32_t mask_ = 0;
};

}  // namespace kith::topics
