// What the pairs stage finds: neighbours with their exact sums, and pairs.
#pragma once

#include <cstdint>

namespace kith::similar {

struct Neighbour {
  uint32_t id;
  uint32_t sum_of_minima;  // A, exact; similarity_of(A) is the similarity (sketch/bag.h)
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

// The tie rule, everywhere in this stage: the larger sum is nearer, and of equal sums the smaller
// id. It is a total order, so "the K nearest" is one list and not one of several. An object, since
// algorithms do not inline a function that they are given by address.
inline constexpr auto nearer = [](const Neighbour& a, const Neighbour& b) {
  return a.sum_of_minima != b.sum_of_minima ? a.sum_of_minima > b.sum_of_minima : a.id < b.id;
};

struct Pair {
  uint32_t a;  // a < b
  uint32_t b;
  uint32_t sum_of_minima;  // exact
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

inline constexpr uint32_t no_id = UINT32_MAX;

}  // namespace kith::similar
