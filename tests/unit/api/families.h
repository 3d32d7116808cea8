// Bags that are made for tests, as kith::Bags; and families of similar ones among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kith/bags.h"

#include "support/random_bags.h"
#include "unit/api/arrays.h"

namespace kith::test {

inline Bags bags_of(const OwnedBags& owned) {
  return *Bags::make(BagArrays(owned.view()).view());
}

// Bags that share `common` words beside `own` words of each.
inline void add_family(OwnedBags& bags, size_t n, uint32_t first_term, uint32_t common,
                       uint32_t own) {
  for (size_t i = 0; i < n; ++i) {
    std::vector<std::pair<uint32_t, double>> words;
    for (uint32_t word = 0; word < common; ++word) words.emplace_back(first_term + word, 1.0);
    for (uint32_t word = 0; word < own; ++word) {
      words.emplace_back(first_term + common + i * own + word, 1.0);
    }
    bags.add(words);
  }
}

}  // namespace kith::test
