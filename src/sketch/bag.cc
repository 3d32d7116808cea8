#include "sketch/bag.h"

#include <algorithm>
#include <cmath>

namespace kith {

uint32_t sum_of_minima(Bag a, Bag b) {
  uint32_t sum = 0;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const BagEntry x = a[i];
    const BagEntry y = b[j];
    sum += x.term == y.term ? std::min(x.weight, y.weight) : 0;
    i += x.term <= y.term;
    j += y.term <= x.term;
  }
  return sum;
}

uint32_t min_sum_of_minima(double similarity) {
  const double exact = 2.0 * bag_total * similarity / (1.0 + similarity);
  auto least = static_cast<uint32_t>(std::clamp(std::floor(exact), 0.0, double{bag_total}));
  while (least > 0 && similarity_of(least - 1) >= similarity) --least;
  while (least < bag_total && similarity_of(least) < similarity) ++least;
  return least;
}

}  // namespace kith
