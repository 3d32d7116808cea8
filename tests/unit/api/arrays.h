// Bags of a collection in the arrays of a caller.
#pragma once

#include <cstdint>
#include <vector>

#include "kith/bags.h"

#include "sketch/bag.h"

namespace kith::test {

struct BagArrays {
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> terms;
  std::vector<double> weights;

  explicit BagArrays(const sketch::BagCollection& bags)
      : offsets(bags.offsets().begin(), bags.offsets().end()) {
    for (const sketch::BagEntry& entry : bags.entries()) {
      terms.push_back(entry.term);
      weights.push_back(static_cast<double>(entry.weight) / sketch::weight_one);
    }
  }
  // Of this object, which must stay.
  BagsView view() const { return {offsets, terms, weights}; }
};

}  // namespace kith::test
