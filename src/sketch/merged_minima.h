// What two bags have in common, whatever their entries are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kith::sketch {

// The sum of the smaller weights of the terms that both have. Entries ascend by term(entry);
// weight(entry) is a uint32_t. Free of branches: one would be mispredicted at every second entry.
template <class Entries, class Term, class Weight>
uint32_t merged_minima(const Entries& a, const Entries& b, Term&& term, Weight&& weight) {
  uint32_t sum = 0;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const auto x = a[i];
    const auto y = b[j];
    sum += term(x) == term(y) ? std::min(weight(x), weight(y)) : 0;
    i += term(x) <= term(y) ? 1 : 0;
    j += term(y) <= term(x) ? 1 : 0;
  }
  return sum;
}

}  // namespace kith::sketch
