// A bag as it travels between machines: kith::PackedBags.
#pragma once

#include <cstdint>
#include <span>

#include "sketch/bag.h"

namespace kith::sketch {

// The entries of a bag, each a term in the low half and its weight in the high one. False, with
// some of them written, for what is no bag: terms ascend, and the weights, above 0, add up to
// bag_total, unless there is none. REQUIRES: as many entries as are packed.
[[nodiscard]] bool unpack_bag(std::span<const uint64_t> packed, std::span<BagEntry> entries);

}  // namespace kith::sketch
