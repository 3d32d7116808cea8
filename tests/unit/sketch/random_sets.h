// Sets of hashes for the tests: pairs of a requested resemblance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"

namespace kith::test {

using Hashes = std::vector<uint64_t>;

inline Hashes random_set(Rng& rng, size_t size) {
  Hashes set(size);
  for (uint64_t& element : set) element = rng();
  std::ranges::sort(set);
  return set;  // two equal ones among 64-bit numbers are not seen
}

// A and B of |A|, |B| and |A n B| elements.
inline std::pair<Hashes, Hashes> random_sets(Rng& rng, size_t a_size, size_t b_size,
                                             size_t common) {
  Hashes a(a_size);
  Hashes b(b_size);
  for (uint64_t& element : a) element = rng();
  for (uint64_t& element : b) element = rng();
  std::copy_n(a.begin(), common, b.begin());
  std::ranges::sort(a);
  std::ranges::sort(b);
  return {std::move(a), std::move(b)};
}

// Two sets of `size` elements whose resemblance is as near to the requested one as it can be.
inline std::pair<Hashes, Hashes> resembling_sets(Rng& rng, size_t size, double resemblance) {
  const double common = 2.0 * static_cast<double>(size) * resemblance / (1.0 + resemblance);
  return random_sets(rng, size, size, static_cast<size_t>(std::lround(common)));
}

}  // namespace kith::test
