#pragma once

#include "similar/exact/inverted_index.h"

namespace kith::similar {

// All bags, in the order of their ids.
inline InvertedIndex index_of(const sketch::BagCollection& bags) {
  InvertedIndex index;
  for (uint32_t id = 0; id < bags.size(); ++id) index.insert(id, bags[id]);
  return index;
}

}  // namespace kith::similar
