#include "sketch/packed_bag.h"

#include <cassert>
#include <cstddef>

namespace kith::sketch {

bool unpack_bag(std::span<const uint64_t> packed, std::span<BagEntry> entries) {
  assert(entries.size() == packed.size());
  uint64_t total = 0;
  uint64_t next_term = 0;
  for (size_t i = 0; i < packed.size(); ++i) {
    const uint64_t entry = packed[i];
    const auto term = static_cast<uint32_t>(entry);
    const auto weight = static_cast<uint32_t>(entry >> 32);
    if (term < next_term || weight == 0) return false;
    next_term = uint64_t{term} + 1;
    total += weight;
    entries[i] = {term, weight};
  }
  return packed.empty() || total == bag_total;
}

}  // namespace kith::sketch
