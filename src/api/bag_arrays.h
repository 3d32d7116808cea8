// The arrays of kith::Bags.
#pragma once

#include <cstdint>
#include <vector>

#include "kith/bags.h"

#include "sketch/bag.h"

namespace kith {

struct Bags::Arrays {
  std::vector<uint64_t> offsets = {0};
  std::vector<sketch::BagEntry> entries;

  sketch::BagCollection collection() const { return {offsets, entries}; }
};

}  // namespace kith
