#include "sketch/bag.h"

#include <algorithm>
#include <cmath>

#include "sketch/merged_minima.h"

namespace kith::sketch {

uint32_t sum_of_minima(Bag a, Bag b) {
  return merged_minima(
      a, b, [](BagEntry entry) { return entry.term; }, [](BagEntry entry) { return entry.weight; });
}

uint32_t min_sum_of_minima(double similarity) {
  const double exact = 2.0 * bag_total * similarity / (1.0 + similarity);
  auto least = static_cast<uint32_t>(std::clamp(std::floor(exact), 0.0, double{bag_total}));
  while (least > 0 && similarity_of(least - 1) >= similarity) --least;
  while (least < bag_total && similarity_of(least) < similarity) ++least;
  return least;
}

}  // namespace kith::sketch
