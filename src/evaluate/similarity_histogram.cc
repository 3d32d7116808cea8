#include "evaluate/similarity_histogram.h"

#include <cmath>

namespace kith::evaluate {

double SimilarityHistogram::similarity_at(uint32_t bin) {
  if (bin == 0) return 0;
  if (bin == bins - 1) return 1;
  const uint32_t from = bin - 1;
  const double middle = std::ldexp(1 + (from % per_doubling + 0.5) / per_doubling,
                                   8 + static_cast<int>(from / per_doubling));
  return middle / (2.0 * sketch::bag_total - middle);
}

}  // namespace kith::evaluate
